"""Each way to bend a file fails in both verifiers, at the right version and for the right reason.

The second one, for Node.js, claims chain, commitments, seed, draws and the signed result; not what takes the rules or
the game's messages. What only those can tell it finds when the signed result is of another history.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.keys import key_id
from tests.verifier.bending import flipped, rechained, renumbered, retold
from tests.verifier.conftest import Files
from tests.verifier.test_command import node
from tests.verifier.test_mutations import (
    V,
    another_seed,
    another_seed_chained_anew,
    drop,
    failed,
    fill_an_empty_part,
    flip_digest,
    flip_public,
    flip_server,
    forged,
    lose_a_part,
    repeat,
    swap,
    with_seat_part,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")
Bend = Callable[[pb.Export], object]


def flip_time(export: pb.Export) -> None:
    part = entry_pb2.EntryPart.FromString(export.opened[V - 1].public_part)
    part.record_time_ms += 1
    export.opened[V - 1].public_part = part.SerializeToString(deterministic=True)


def add_a_part(export: pb.Export) -> None:
    export.opened[V - 1].sealed_parts.append(b"")


def exchange_parts(export: pb.Export) -> None:
    sealed = export.opened[V - 1].sealed_parts
    sealed[0], sealed[-1] = sealed[-1], sealed[0]


def cut_public(export: pb.Export) -> None:
    export.opened[V - 1].public_part = export.opened[V - 1].public_part[:-1]


def take_an_older_digest(export: pb.Export) -> None:
    export.opened[V - 1].digest = export.opened[V - 2].digest


def insert(export: pb.Export) -> None:
    """An entry that looks like one of the match stands between two."""
    other = pb.OpenedEntry()
    other.CopyFrom(export.opened[V + 3])
    other.version = V
    export.opened.insert(V - 1, other)


def lose_the_first(export: pb.Export) -> None:
    del export.opened[0]


def of_another_match(export: pb.Export) -> None:
    export.match = flipped(export.match)


def shorten(export: pb.Export) -> None:
    del export.opened[V:]


@pytest.mark.parametrize(
    ("bend", "check", "version"),
    [
        (flip_digest, "chain", V),
        (flip_public, "chain", V),
        (flip_server, "chain", V),
        (flip_time, "chain", V),
        (fill_an_empty_part, "chain", V),
        (lose_a_part, "chain", V),
        (add_a_part, "chain", V),
        (exchange_parts, "chain", V),
        (cut_public, "chain", V),
        (take_an_older_digest, "chain", V),
        (drop, "versions", V),
        (repeat, "versions", V),
        (swap, "versions", V),
        (insert, "versions", V + 1),
        (lose_the_first, "versions", 1),
        (another_seed, "seed", 1),
        (another_seed_chained_anew, "seed", 1),
        (of_another_match, "seed", 1),
        (shorten, "summary", V + 1),
    ],
)
async def test_what_is_bent_is_found_there(files: Files, bend: Bend, check: str, version: int, tmp_path: Path) -> None:
    export = files.export("ruhe")
    bend(export)
    report = verify(export, Given(files.keys))
    assert (check, version) in failed(report)
    first = min(found.version for found in report.failures if found.version)
    told = node_of(export, files, tmp_path)
    assert told.startswith(f"version {first}: ")


async def test_a_seat_part_that_is_bent_is_found_there(files: Files, tmp_path: Path) -> None:
    export = files.export("ruhe")
    entry, seat = with_seat_part(export)
    entry.sealed_parts[seat] = flipped(entry.sealed_parts[seat])
    assert ("chain", entry.version) in failed(verify(export, Given(files.keys)))
    assert node_of(export, files, tmp_path).startswith(f"version {entry.version}: the digest does not follow")


@pytest.mark.parametrize("change", [lambda _: b"", lambda part: flipped(part, 3)])
async def test_a_part_withheld_or_contradicted_and_chained_anew(
    files: Files, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    export = files.export("ruhe")
    entry, seat = with_seat_part(export)
    entry.sealed_parts[seat] = change(entry.sealed_parts[seat])
    rechained(export)
    assert ("sealed parts", entry.version) in failed(verify(export, Given(files.keys)))
    last = len(export.opened)
    assert node_of(export, files, tmp_path) == f"version {last}: the signed result is of another history\n"


@pytest.mark.parametrize("bend", [drop, repeat, swap, insert])
async def test_entries_moved_numbered_and_chained_anew(files: Files, bend: Bend, tmp_path: Path) -> None:
    export = files.export("ruhe")
    bend(export)
    renumbered(export)
    report = verify(export, Given(files.keys))
    assert {found.name for found in report.failures} & {"draws", "decisions", "entries"}
    assert node_of(export, files, tmp_path).startswith("version ")


def bend_summary(export: pb.Export, change: Callable[[pb.ResultSummary], object]) -> None:
    summary = pb.ResultSummary.FromString(export.result.summary)
    change(summary)
    export.result.summary = summary.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("bend", "check", "why"),
    [
        (lambda e: setattr(e.result, "signature", flipped(e.result.signature)), "signature", "signature: "),
        (lambda e: setattr(e.result, "key_id", "0" * 16), "signature", "signature: "),
        (lambda e: bend_summary(e, lambda s: setattr(s, "match", bytes(16))), "summary", "summary: "),
        (lambda e: bend_summary(e, lambda s: setattr(s.end, "reason", "OTHER")), "signature", "signature: "),
        (lambda e: bend_summary(e, lambda s: s.seats.pop()), "signature", "signature: "),
        (lambda e: bend_summary(e, lambda s: setattr(s.head, "digest", bytes(32))), "summary", "version "),
        (lambda e: setattr(e.proof, "leaf", flipped(e.proof.leaf)), "inclusion", "inclusion: "),
        (lambda e: setattr(e.proof, "index", e.proof.index - 1), "inclusion", "inclusion: "),
        (lambda e: e.proof.path.append(bytes(32)), "inclusion", "inclusion: "),
        (lambda e: e.proof.path.pop(), "inclusion", "inclusion: "),
        (lambda e: setattr(e.proof, "checkpoint", "x" + e.proof.checkpoint), "inclusion", "inclusion: "),
    ],
)
async def test_what_was_signed_stays_as_it_was(files: Files, bend: Bend, check: str, why: str, tmp_path: Path) -> None:
    export = files.export("ruhe")
    bend(export)
    assert check in {name for name, _ in failed(verify(export, Given(files.keys)))}
    assert node_of(export, files, tmp_path).startswith(why)


async def test_a_chain_rebuilt_with_another_key_is_the_work_of_somebody_else(files: Files, tmp_path: Path) -> None:
    export = forged(files)
    report = verify(export, Given(files.keys))
    assert {found.name for found in report.failures} == {"signature"}
    assert key_id(export.keys[-1].key) in report.failures[0].text
    assert node_of(export, files, tmp_path) == "signature: no key for receipts has this id\n"


async def test_an_entry_changed_everywhere_is_not_the_one_that_was_signed(files: Files, tmp_path: Path) -> None:
    def later(part: entry_pb2.EntryPart) -> None:
        part.record_time_ms += 1

    export = retold(files.export("ruhe"), V, later)
    last = len(export.opened)
    assert ("summary", last) in failed(verify(export, Given(files.keys)))
    assert node_of(export, files, tmp_path) == f"version {last}: the signed result is of another history\n"


def node_of(export: pb.Export, files: Files, folder: Path) -> str:
    """What the second verifier says is wrong, with the platform's keys."""
    path = folder / "bent.argosy"
    path.write_bytes(export.SerializeToString())
    told = node(path, files.keys)
    assert told.returncode == 1, told.stdout
    return told.stderr
