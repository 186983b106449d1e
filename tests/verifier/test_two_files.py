"""Two files of one match: one opens the other, and where the platform told two stories is proven."""

import json
from pathlib import Path

import pytest
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify.comparing import compare, find_equivocation
from gateway.cli.verify.files import ESSENTIAL, Given, read, verify
from gateway.cli.verify.keys import keys_of
from gateway.cli.verify.report import Impossible, Mark, Report, Wrong
from services.kit.keys import signer
from tests.verifier.bending import flipped, receipt_for, receipt_of, retold_to, seed_of
from tests.verifier.conftest import Files
from tests.verifier.test_command import argosy

pytestmark = pytest.mark.asyncio(loop_scope="session")
V = 5


def marks(report: Report) -> dict[str, Mark]:
    return {check.name: check.mark for check in report.checks}


async def test_what_a_player_kept_is_opened_by_an_opened_file(files: Files) -> None:
    own, opener = read(files.own[0]), read(files.own_finished)
    found = marks(verify(own, Given(files.keys), opener))
    assert {found[name] for name in (*ESSENTIAL, "opened parts", "requests", "receipts")} == {Mark.HOLDS}


async def test_a_file_of_a_match_that_went_on_is_opened_as_far_as_it_goes(files: Files) -> None:
    report = verify(read(files.open), Given(files.keys), files.export("ruhe"))
    found = marks(report)
    assert {found[name] for name in ESSENTIAL if name != "result"} == {Mark.HOLDS}
    assert found["result"] is Mark.OPEN
    assert report.exit_code == 3


async def test_the_seed_alone_opens_what_follows_from_it(files: Files) -> None:
    seed = seed_of(read(files.own_finished))
    found = marks(verify(read(files.own[0]), Given(files.keys, seed=seed)))
    assert (found["seed"], found["player entropy"]) == (Mark.HOLDS, Mark.HOLDS)
    assert {found[name] for name in ("sealed parts", "draws", "decisions", "result")} == {Mark.OPEN}
    code, told = argosy(files.own[0], "--seed", seed.hex())
    assert code == 3
    assert "✓ seed" in told


async def test_another_seed_opens_nothing(files: Files) -> None:
    report = verify(read(files.own[0]), Given(files.keys, seed=bytes(32)))
    assert {(check.name, check.version) for check in report.failures} == {("seed", 1), ("sealed parts", 1)}
    finished = verify(read(files.own_finished), Given(files.keys, seed=bytes(32)))
    assert {check.name for check in finished.failures} == {"seed given"}
    assert argosy(files.own[0], "--seed", "12")[0] == 2


async def test_a_salt_that_is_not_the_seeds_is_found(files: Files) -> None:
    own, seed = read(files.own[0]), seed_of(read(files.own_finished))
    own.entries[V - 1].own[0].salt = flipped(own.entries[V - 1].own[0].salt)
    failed = {(check.name, check.version) for check in verify(own, Given(files.keys, seed=seed)).failures}
    assert ("sealed parts", V) in failed


async def test_an_opened_file_of_another_story_opens_nothing(files: Files) -> None:
    own = retold_to(read(files.own[0]), V)
    found = marks(verify(own, Given(files.keys), read(files.own_finished)))
    assert (found["chain"], found["opened parts"], found["draws"]) == (Mark.HOLDS, Mark.OPEN, Mark.OPEN)


async def test_one_file_may_have_an_entry_more(files: Files) -> None:
    one, other = (read(path) for path in files.own)
    last = one.entries[-1].version
    del one.entries[-1]
    assert compare(one, other) == f"the same to version {last - 1}; the second file goes on to version {last}"
    assert compare(other, one).endswith(f"the first file goes on to version {last}")


async def test_two_stories_are_found_where_they_part(files: Files) -> None:
    one, other = (read(path) for path in files.own)
    with pytest.raises(Wrong, match="two public parts") as wrong:
        compare(one, retold_to(other, V))
    assert wrong.value.version == V


async def test_receipts_of_one_story_contradict_nothing(files: Files) -> None:
    both = [read(path) for path in files.own]
    assert "contradicts" in find_equivocation(both, [keys_of(export, files.keys) for export in both])


@pytest.mark.parametrize("is_second", [False, True])
async def test_a_receipt_that_the_other_history_contradicts_is_proof(files: Files, *, is_second: bool) -> None:
    one, other = read(files.own[0]), read(files.own[1])
    bent = retold_to(other, V)
    bent.ClearField("receipts")
    bent.receipts.append(receipt_for(bent, V, signer(files.private, "receipt")))
    pair = [bent, one] if is_second else [one, bent]
    with pytest.raises(Wrong, match="told two stories of one match, and its signature proves it") as wrong:
        find_equivocation(pair, [keys_of(export, files.keys) for export in pair])
    assert wrong.value.version == V


async def test_two_receipts_for_one_version_are_proof_without_any_entry(files: Files) -> None:
    one, key = read(files.own[0]), signer(files.private, "receipt")
    bent = retold_to(one, V)
    receipts = [receipt_for(one, V, key), receipt_for(bent, V, key)]
    pair = [pb.Export(form=1, match=one.match, receipts=[receipt]) for receipt in receipts]
    with pytest.raises(Wrong, match="has a receipt for") as wrong:
        find_equivocation(pair, [keys_of(export, files.keys) for export in pair])
    assert wrong.value.version == V


async def test_a_receipt_by_nobody_proves_nothing(files: Files) -> None:
    one, key = read(files.own[0]), signer(files.private, "log")
    bent = retold_to(one, V)
    bent.ClearField("receipts")
    one.ClearField("receipts")
    bent.receipts.append(receipt_for(bent, V, key))
    with pytest.raises(Impossible):
        find_equivocation([one, bent], [keys_of(export, files.keys) for export in (one, bent)])


async def test_the_command_says_it_in_plain_words(files: Files, tmp_path: Path) -> None:
    bent = retold_to(read(files.own[1]), V)
    bent.ClearField("receipts")
    bent.receipts.append(receipt_for(bent, V, signer(files.private, "receipt")))
    path = tmp_path / "bent.evidence"
    path.write_bytes(bent.SerializeToString())
    code, told = argosy(files.own[0], path, "--keys", files.keys)
    assert code == 1
    assert f"✗ equivocation   version {V}: the platform signed entry" in told
    code, told = argosy(files.own[0], files.own_finished, "--keys", files.keys, "--json")
    assert (code, json.loads(told)["comparison"]["exit_code"]) == (0, 0)


async def test_files_of_two_matches_are_not_taken_for_compared(files: Files) -> None:
    code, told = argosy(files.finished["sirenen"], files.finished["ruhe"], "--keys", files.keys)
    assert code == 3
    assert f"{Mark.OPEN.value} the two files" in told


async def test_a_receipt_for_an_entry_after_ones_own_last_is_no_contradiction(files: Files) -> None:
    own = read(files.own[0])
    last = own.entries[-1].version
    own.receipts.append(receipt_for(own, last, signer(files.private, "receipt")))
    del own.entries[-1]
    report = verify(own, Given(files.keys))
    assert not report.failures
    told = next(check.text for check in report.checks if check.name == "receipts")
    assert "for entries after this file's last" in told


async def test_a_receipt_for_an_entry_after_the_end_is_one(files: Files) -> None:
    own = read(files.own[0])
    version = own.entries[-1].version + 1
    own.receipts.append(receipt_of(own.match, version, bytes(32), signer(files.private, "receipt")))
    (failure,) = verify(own, Given(files.keys)).failures
    assert (failure.name, failure.version) == ("receipts", version)
    assert "an entry that this history does not have" in failure.text
