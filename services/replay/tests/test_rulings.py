"""Rulings as files beside the archive, and in the library on SQLite and Postgres."""

import asyncio
import os
from pathlib import Path

import pytest
from argosy.v1 import match_service_pb2
from argosy.v1 import replay_service_pb2 as pb

from services.replay.archive import Archive, DamagedFile, open_archive
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.reindexing import reindex
from services.replay.rulings import files, index
from services.replay.rulings.files import FORM, Recorded
from services.replay.tests.test_library import summary_of

Kind = pb.Ruling.Kind


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return open_archive(None, tmp_path)


def ruling(match: bytes, kind: Kind.ValueType = Kind.KIND_NOTE, *, time_ms: int = 1, request: bytes = b"") -> Recorded:
    head = match_service_pb2.Head(version=1)
    made = pb.Ruling(match=match, head=head, kind=kind, reason="TEST", rule_time_ms=time_ms)
    return Recorded(
        form=FORM,
        ruling=pb.SignedRuling(ruling=made.SerializeToString(), key_id="0" * 16),
        stored_request_id=request or os.urandom(16),
        request_digest=os.urandom(32),
    )


async def test_of_one_request_at_several_processes_one_ruling_is_kept(archive: Archive, tmp_path: Path) -> None:
    match, request = os.urandom(16), os.urandom(16)
    made = [ruling(match, time_ms=number, request=request) for number in range(8)]
    others = [open_archive(None, tmp_path) for _ in made]
    kept = await asyncio.gather(*(files.write(a, match, one) for a, one in zip(others, made, strict=True)))
    assert len({one.SerializeToString() for one in kept}) == 1
    assert await files.find(archive, match, request) == kept[0]
    assert await files.on(archive, match) == [kept[0]]


async def test_rulings_stand_in_the_order_of_their_times(archive: Archive) -> None:
    match, other = os.urandom(16), os.urandom(16)
    made = [ruling(match, time_ms=time_ms) for time_ms in (30, 10, 20)]
    for one in made:
        await files.write(archive, match, one)
    await files.write(archive, other, ruling(other))
    assert [files.ruling_of(one).rule_time_ms for one in await files.on(archive, match)] == [10, 20, 30]
    assert len([one async for one in files.all_of(archive)]) == 4
    assert await files.on(archive, os.urandom(16)) == []
    assert await files.find(archive, match, os.urandom(16)) is None


@pytest.mark.parametrize("damage", [b"", b"\xff\xff", "moved"])
async def test_a_damaged_file_is_no_ruling(archive: Archive, damage: bytes | str) -> None:
    match, one = os.urandom(16), ruling(os.urandom(16))
    data = one.SerializeToString() if isinstance(damage, str) else damage
    await archive.put(files.path_of(match, one.stored_request_id), data)
    with pytest.raises(DamagedFile):
        await files.on(archive, match)


async def test_a_damaged_file_keeps_no_others_from_being_found(archive: Archive) -> None:
    match, one = os.urandom(16), ruling(os.urandom(16))
    await files.write(archive, match, one)
    for number in range(2):
        await archive.put(files.path_of(match, os.urandom(16)), b"\xff" * number)
    assert [found async for found in files.all_of(archive)] == [one]


async def test_only_a_disclosure_discloses(archive: Archive) -> None:
    match = os.urandom(16)
    for kind in (Kind.KIND_NOTE, Kind.KIND_VOID, Kind.KIND_ADJUDICATE):
        await files.write(archive, match, ruling(match, kind))
    assert not await files.is_disclosed(archive, match)
    await files.write(archive, match, ruling(match, Kind.KIND_DISCLOSE))
    assert await files.is_disclosed(archive, match)


async def test_the_library_tells_the_last_that_changes_something(library: Library) -> None:
    summary = summary_of()
    await library.store([summary])
    match = summary.match
    void, adjudged = ruling(match, Kind.KIND_VOID, time_ms=5), ruling(match, Kind.KIND_ADJUDICATE, time_ms=3)
    made = [void, adjudged, ruling(match, Kind.KIND_NOTE, time_ms=9), ruling(match, Kind.KIND_DISCLOSE, time_ms=10)]
    await index.store(library.database, made)
    await index.store(library.database, made[:2])
    found = (await library.find([match]))[match]
    assert (found.ruling, found.rulings) == (void.ruling.ruling, 4)


async def test_what_is_logged_is_marked(library: Library) -> None:
    made = [ruling(os.urandom(16), time_ms=time_ms) for time_ms in (1, 2, 3)]
    await index.store(library.database, made)
    wanted = {one.ruling.ruling for one in made}
    due = [(key, data) for key, data in await index.to_log(library.database, 10_000) if data in wanted]
    assert [data for _, data in due] == [one.ruling.ruling for one in made]
    await index.mark(library.database, [key for key, _ in due[:2]])
    await index.mark(library.database, [])
    await index.store(library.database, made)
    left = [data for _, data in await index.to_log(library.database, 10_000) if data in wanted]
    assert left == [made[2].ruling.ruling]


async def test_a_library_made_anew_has_the_rulings(sqlite_library: Library, histories: Histories) -> None:
    summary = summary_of()
    await sqlite_library.store([summary])
    one = ruling(summary.match, Kind.KIND_VOID)
    await files.write(histories.archive, summary.match, one)
    await reindex(sqlite_library, histories)
    assert [data for _, data in await index.to_log(sqlite_library.database, 10)] == [one.ruling.ruling]
