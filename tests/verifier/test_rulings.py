"""What is signed beside a history: rulings, receipts, results; each by a key that may sign it."""

from collections.abc import Callable

import pytest
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.report import Mark, Report
from services.kit import checkpoints, signatures
from services.kit.keys import SigningKey, signer
from tests.verifier.bending import flipped, receipt_for
from tests.verifier.conftest import Files

pytestmark = pytest.mark.asyncio(loop_scope="session")
Kind = pb.Ruling.Kind
Change = Callable[[pb.Ruling], object]


def found(report: Report, name: str) -> tuple[Mark, int, str]:
    return next((check.mark, check.version, check.text) for check in report.checks if check.name == name)


async def test_rulings_are_told_with_what_the_match_counts_as(files: Files) -> None:
    report = verify(files.export("sirenen"), Given(files.keys))
    mark, _, text = found(report, "rulings")
    assert mark is Mark.HOLDS
    assert text == "NOTE LATE_ARRIVAL, ADJUDICATE WRONG_SETTINGS; the match counts as 0.25 : 0.75"


async def test_without_keys_a_ruler_is_unknown(files: Files) -> None:
    mark, _, text = found(verify(files.export("sirenen"), Given()), "rulings")
    assert mark is Mark.OPEN
    assert "unknown" in text
    assert "counts as 0.25 : 0.75" in text


@pytest.mark.parametrize(
    ("bend", "why"),
    [
        (lambda e: setattr(e.rulings[0], "signature", flipped(e.rulings[0].signature)), "the signature is not by"),
        (lambda e: setattr(e.rulings[0], "key_id", "0" * 16), "not one of the keys given"),
        (lambda e: setattr(e.rulings[0], "ruling", e.rulings[1].ruling), "the signature is not by"),
        (lambda e: setattr(e.rulings[1], "ruling", b"\xff"), "cannot be read"),
        (lambda e: e.rulings[1].proof.CopyFrom(e.rulings[0].proof), "the leaf is not that of what was signed"),
        (lambda e: e.rulings[1].proof.path.append(bytes(32)), "the proof cannot be read"),
        (lambda e: e.rulings[1].proof.path.__setitem__(0, bytes(32)), "not lead to the signed root"),
    ],
)
async def test_a_ruling_that_is_bent_fails(files: Files, bend: Callable[[pb.Export], object], why: str) -> None:
    export = files.export("sirenen")
    bend(export)
    mark, _, text = found(verify(export, Given(files.keys)), "rulings")
    assert mark is Mark.FAILS
    assert why in text


def signed_anew(export: pb.Export, change: Change, key: SigningKey) -> pb.Export:
    """The last ruling as the platform would have signed it otherwise."""
    ruling = pb.Ruling.FromString(export.rulings[-1].ruling)
    change(ruling)
    data = ruling.SerializeToString(deterministic=True)
    signature = key.private.sign(signatures.message(signatures.RULING, data))
    export.rulings[-1].CopyFrom(pb.SignedRuling(ruling=data, signature=signature, key_id=key.id))
    return export


@pytest.mark.parametrize(
    ("change", "version", "why"),
    [
        (lambda r: setattr(r, "match", flipped(r.match)), 0, "of another match"),
        (lambda r: setattr(r.head, "version", 999), 999, "an entry that this history does not have"),
        (lambda r: setattr(r.head, "version", 3), 3, "on another history"),
        (lambda r: r.scores.__setitem__(0, 1.5), 0, "not from 0 to 1"),
        (lambda r: setattr(r, "kind", Kind.KIND_VOID), 0, "scores that it should not have"),
        (lambda r: setattr(r, "kind", 77), 0, "a kind that this program does not know"),
    ],
)
async def test_a_ruling_on_something_else_fails_though_it_is_signed(
    files: Files, change: Change, version: int, why: str
) -> None:
    key = signer(files.private, "receipt")
    report = verify(signed_anew(files.export("sirenen"), change, key), Given(files.keys))
    mark, at, text = found(report, "rulings")
    assert mark is Mark.FAILS
    assert why in text
    assert version in (0, at)


async def test_a_ruling_outside_the_log_says_so(files: Files) -> None:
    export = signed_anew(files.export("sirenen"), lambda _: None, signer(files.private, "receipt"))
    mark, _, text = found(verify(export, Given(files.keys)), "rulings")
    assert mark is Mark.HOLDS
    assert "1 not in the log" in text


@pytest.mark.parametrize("use", ["log", "token"])
@pytest.mark.parametrize("is_given", [True, False])
async def test_a_key_signs_only_what_it_is_for(files: Files, use: str, *, is_given: bool) -> None:
    given, key = Given(files.keys if is_given else None), signer(files.private, use)
    export = signed_anew(files.export("sirenen"), lambda _: None, key)
    mark, _, text = found(verify(export, given), "rulings")
    assert (mark, f"a key for use '{use}', not 'receipt'" in text) == (Mark.FAILS, True)

    export = files.export("sirenen")
    message = signatures.message(signatures.RESULT, export.result.summary)
    export.result.key_id, export.result.signature = key.id, key.private.sign(message)
    mark, _, text = found(verify(export, given), "signature")
    assert (mark, f"a key for use '{use}', not 'receipt'" in text) == (Mark.FAILS, True)

    own = pb.Export.FromString(files.own[0].read_bytes())
    own.receipts.append(receipt_for(own, 2, key))
    mark, _, text = found(verify(own, given), "receipts")
    assert (mark, f"a key for use '{use}', not 'receipt'" in text) == (Mark.FAILS, True)


async def test_a_receipt_key_signs_no_tree_head(files: Files) -> None:
    export, key = files.export("sirenen"), signer(files.private, "receipt")
    export.proof.checkpoint = checkpoints.sign(checkpoints.read(export.proof.checkpoint), key)
    mark, _, text = found(verify(export, Given(files.keys)), "inclusion")
    assert (mark, "a key for use 'receipt', not 'log'" in text) == (Mark.FAILS, True)
