"""Whatever is changed in a file is found, at the right version and for the right reason."""

from collections.abc import Callable

import pytest
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gateway.cli.verify import keys
from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.report import Mark, Report
from services.kit import signatures
from tests.verifier.bending import flipped, rechained, renumbered, retold, seen_by
from tests.verifier.conftest import Files

pytestmark = pytest.mark.asyncio(loop_scope="session")
V = 9  # somewhere in the middle
Bend = Callable[[pb.Export], object]


def marks(report: Report) -> dict[str, Mark]:
    return {check.name: check.mark for check in report.checks}


def failed(report: Report) -> set[tuple[str, int]]:
    return {(check.name, check.version) for check in report.failures}


async def bent(files: Files, bend: Bend, game: str = "ruhe") -> Report:
    export = files.export(game)
    bend(export)
    return verify(export, Given(files.keys))


def with_seat_part(export: pb.Export) -> tuple[pb.OpenedEntry, int]:
    """An entry after V of which some seat sees more than everybody, and the seat."""
    for entry in export.opened[V:]:
        for seat, part in enumerate(entry.sealed_parts[:-1]):
            if part:
                return entry, seat
    raise AssertionError("no seat ever saw anything")


@pytest.mark.parametrize("game", ["sirenen", "ruhe"])
async def test_a_true_history_holds(files: Files, game: str) -> None:
    report = await bent(files, lambda _: None, game)
    assert set(marks(report).values()) == {Mark.HOLDS}
    assert report.exit_code == 0


def flip_digest(export: pb.Export) -> None:
    export.opened[V - 1].digest = flipped(export.opened[V - 1].digest)


def flip_public(export: pb.Export) -> None:
    export.opened[V - 1].public_part = flipped(export.opened[V - 1].public_part, 3)


def flip_server(export: pb.Export) -> None:
    export.opened[V - 1].sealed_parts[-1] = flipped(export.opened[V - 1].sealed_parts[-1])


def fill_an_empty_part(export: pb.Export) -> None:
    sealed = list(export.opened[V - 1].sealed_parts)
    index = sealed.index(b"") if b"" in sealed else 0  # by chance the entry tells every seat something
    export.opened[V - 1].sealed_parts[index] = export.opened[V - 1].public_part


def lose_a_part(export: pb.Export) -> None:
    del export.opened[V - 1].sealed_parts[0]


@pytest.mark.parametrize("bend", [flip_digest, flip_public, flip_server, fill_an_empty_part, lose_a_part])
async def test_a_changed_byte_breaks_the_chain_there(files: Files, bend: Bend) -> None:
    report = await bent(files, bend)
    assert ("chain", V) in failed(report)
    assert report.failures[0].version == V
    assert report.exit_code == 1


async def test_a_changed_seat_part_breaks_the_chain_there(files: Files) -> None:
    export = files.export("ruhe")
    entry, seat = with_seat_part(export)
    entry.sealed_parts[seat] = flipped(entry.sealed_parts[seat])
    assert ("chain", entry.version) in failed(verify(export, Given(files.keys)))


def another_seed(export: pb.Export) -> None:
    whole = entry_pb2.EntryPart.FromString(export.opened[0].sealed_parts[-1])
    whole.server.seed = flipped(whole.server.seed)
    export.opened[0].sealed_parts[-1] = whole.SerializeToString(deterministic=True)


def another_seed_chained_anew(export: pb.Export) -> None:
    another_seed(export)
    rechained(export)


async def test_another_seed_is_not_the_one_committed_to(files: Files) -> None:
    assert ("seed", 1) in failed(await bent(files, another_seed))
    assert ("seed", 1) in failed(await bent(files, another_seed_chained_anew))


async def test_a_history_is_of_its_own_match(files: Files) -> None:
    assert ("chain", 1) in failed(await bent(files, lambda e: setattr(e, "match", flipped(e.match))))


def drop(export: pb.Export) -> None:
    del export.opened[V - 1]


def repeat(export: pb.Export) -> None:
    export.opened.insert(V - 1, export.opened[V - 2])


def swap(export: pb.Export) -> None:
    here, there = export.opened[V - 1], export.opened[V]
    kept = pb.OpenedEntry()
    kept.CopyFrom(here)
    here.CopyFrom(there)
    there.CopyFrom(kept)


@pytest.mark.parametrize("bend", [drop, repeat, swap])
async def test_entries_stand_where_they_stood(files: Files, bend: Bend) -> None:
    assert {("versions", V), ("chain", V)} <= failed(await bent(files, bend))


@pytest.mark.parametrize("bend", [drop, repeat, swap])
async def test_also_when_all_is_numbered_and_chained_anew(files: Files, bend: Bend) -> None:
    report = await bent(files, lambda e: (bend(e), renumbered(e)))
    assert marks(report)["chain"] is Mark.HOLDS
    assert {check.name for check in report.failures} & {"draws", "decisions", "entries", "sealed parts"}
    assert "summary" in {check.name for check in report.failures}


async def test_a_shortened_history_is_not_the_one_that_was_signed(files: Files) -> None:
    def shorten(export: pb.Export) -> None:
        del export.opened[V:]

    report = await bent(files, shorten)
    assert failed(report) == {("summary", V + 1)}
    assert (marks(report)["chain"], marks(report)["result"]) == (Mark.HOLDS, Mark.OPEN)


async def test_a_seat_part_chained_anew_still_contradicts_the_whole(files: Files) -> None:
    changes: list[Callable[[bytes], bytes]] = [lambda _: b"", lambda part: flipped(part, 3)]
    for change in changes:
        export = files.export("ruhe")
        entry, seat = with_seat_part(export)
        entry.sealed_parts[seat] = change(entry.sealed_parts[seat])
        report = verify(rechained(export), Given(files.keys))
        assert marks(report)["chain"] is Mark.HOLDS
        assert ("sealed parts", entry.version) in failed(report)


def change_a_draw(export: pb.Export) -> int:
    """The version of the first decision with a draw, whose result is another now; chained anew."""

    def change(part: entry_pb2.EntryPart) -> None:
        for drawn in part.server.draws[:1]:
            drawn.result[:] = [(drawn.result[0] + 1) % drawn.bound, *drawn.result[1:]]

    for entry in export.opened[1:]:
        whole = entry_pb2.EntryPart.FromString(entry.sealed_parts[-1])
        if whole.server.draws and whole.server.draws[0].bound > 1:
            retold(export, entry.version, change)
            return entry.version
    raise AssertionError("nothing was drawn")


async def test_a_steered_die_is_found(files: Files) -> None:
    export = files.export("sirenen")
    version = change_a_draw(export)
    report = verify(export, Given(files.keys))
    assert marks(report)["chain"] is Mark.HOLDS
    assert {("draws", version), ("decisions", version)} <= failed(report)


async def test_an_action_that_nobody_asked_for_is_found(files: Files) -> None:
    export = files.export("sirenen")
    actions = {
        entry.version: entry_pb2.EntryPart.FromString(entry.sealed_parts[-1]).server.action for entry in export.opened
    }
    first = next(version for version, action in actions.items() if action)
    other = next(action for action in actions.values() if action not in (b"", actions[first]))

    def change(part: entry_pb2.EntryPart) -> None:
        if part.HasField("server"):
            part.server.action = other

    report = verify(retold(export, first, change), Given(files.keys))
    assert {("requests", first), ("decisions", first)} <= failed(report)


async def test_another_result_than_the_rules_give_is_found(files: Files) -> None:
    export = files.export("sirenen")

    def change(part: entry_pb2.EntryPart) -> None:
        scores = [1 - score if score != 0.5 else 1.0 for score in part.end.scores]
        part.end.scores[:] = scores

    last = len(export.opened)
    report = verify(retold(export, last, change), Given(files.keys))
    assert {("result", last), ("summary", last)} <= failed(report)


@pytest.mark.parametrize(
    ("bend", "check"),
    [
        (lambda e: setattr(e.result, "signature", flipped(e.result.signature)), "signature"),
        (lambda e: setattr(e.result, "key_id", "0" * 16), "signature"),
        (lambda e: setattr(e.proof, "leaf", flipped(e.proof.leaf)), "inclusion"),
        (lambda e: setattr(e.proof, "index", e.proof.index - 1), "inclusion"),
        (lambda e: e.proof.path.append(bytes(32)), "inclusion"),
        (lambda e: setattr(e.proof, "checkpoint", e.proof.checkpoint.replace("\n", "\n\n", 1)), "inclusion"),
    ],
)
async def test_what_is_signed_is_signed(files: Files, bend: Bend, check: str) -> None:
    assert {name for name, _ in failed(await bent(files, bend))} == {check}


def forged(files: Files) -> pb.Export:
    """A history in which one move came later, all of it chained and signed anew, by a key of one's own."""
    export, key = files.export("sirenen"), Ed25519PrivateKey.generate()

    def later(part: entry_pb2.EntryPart) -> None:
        part.record_time_ms += 1

    retold(export, V, later)
    summary = pb.ResultSummary.FromString(export.result.summary)
    summary.head.digest = export.opened[-1].digest
    export.result.summary = summary.SerializeToString(deterministic=True)
    public = key.public_key().public_bytes_raw()
    export.result.key_id = keys.key_id(public)
    export.result.signature = key.sign(signatures.message(signatures.RESULT, export.result.summary))
    export.ClearField("proof")
    export.ClearField("rulings")
    export.keys.add(id=keys.key_id(public), use="receipt", key=public)
    return export


async def test_a_chain_rebuilt_with_another_key_is_not_the_platforms(files: Files) -> None:
    report = verify(forged(files), Given(files.keys))
    assert {check.name for check in report.failures} == {"signature"}
    assert "not one of the keys given" in report.failures[0].text


async def test_without_keys_every_signer_is_unknown(files: Files) -> None:
    for export in (forged(files), files.export("sirenen")):
        report = verify(export, Given())
        assert not report.failures
        assert marks(report)["signature"] is Mark.OPEN
    assert marks(report)["inclusion"] is Mark.OPEN


@pytest.mark.parametrize("bend", ["withheld", "bent", "salt", "commitment", "told otherwise"])
async def test_a_viewer_finds_what_is_withheld_or_changed(files: Files, bend: str) -> None:
    export = files.export("ruhe")
    entry, seat = with_seat_part(export)
    viewed = seen_by(export, seat)
    assert marks(verify(viewed, Given(files.keys)))["chain"] is Mark.HOLDS
    told = viewed.entries[entry.version - 1]
    match bend:
        case "withheld":
            del told.own[:]
        case "bent":
            told.own[0].part = flipped(told.own[0].part)
        case "salt":
            told.own[0].salt = flipped(told.own[0].salt)
        case "commitment":
            told.commitments[-1] = flipped(told.commitments[-1])
        case _:
            told.public_part = flipped(told.public_part)
    report = verify(viewed, Given(files.keys))
    assert ("chain", entry.version) in failed(report)


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"PK\x03\x04"])
async def test_what_is_no_export_is_told_so(files: Files, data: bytes) -> None:
    from gateway.cli.verify.files import read

    path = files.folder / "none"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="no export"):
        read(path)
