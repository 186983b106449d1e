"""Reading the feed, archiving, retiring, making anew: on a real store, against everything that may break it."""

import asyncio
from pathlib import Path

from sqlalchemy import update

from services.kit.log import partitions
from services.kit.log.ends import feed_ends
from services.kit.log.entries import Entry
from services.kit.log.feed import trim
from services.kit.log.log import EventLog
from services.replay import schema
from services.replay.archive import path_of
from services.replay.histories import Histories
from services.replay.keeping import Keeper
from services.replay.library import Library
from services.replay.reading import GROUP, Reader
from services.replay.reindexing import reindex
from services.replay.tests.made import make_history, record

ALL = range(256)


class Running:
    """A reader that runs until the block ends."""

    def __init__(self, library: Library, histories: Histories) -> None:
        self._reader = Reader(library, histories, ALL, asyncio.Event())
        self._draining = asyncio.Event()

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._reader.run(self._draining))

    async def __aexit__(self, *_: object) -> None:
        self._draining.set()
        await self._task


async def until_known(library: Library, match: bytes, version: int) -> None:
    for _ in range(1000):
        found = (await library.find([match])).get(match)
        if found is not None and found.version >= version:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"the library has {found}")


def keeper(library: Library, histories: Histories, keep_s: float = 0.0) -> Keeper:
    return Keeper(library, histories, ALL, keep_s, asyncio.Event())


async def keep_all(library: Library, histories: Histories, keep_s: float = -1.0) -> None:
    kept = keeper(library, histories, keep_s)
    while await kept.keep():
        pass


async def test_entries_reach_the_library_and_positions_with_them(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    match, entries = make_history(length=5)
    async with Running(sqlite_library, histories):
        await record(log, match, entries[:2])
        await until_known(sqlite_library, match, 2)
        await record(log, match, entries[2:])
        await until_known(sqlite_library, match, 5)
    positions = await sqlite_library.positions()
    assert positions[match[0]] == (await feed_ends(log.servers, [match[0]]))[match[0]].last
    assert await trim(log.servers, match[0], [GROUP]) == 4


async def test_a_lost_group_is_made_again_where_the_library_is(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    matches = [make_history(length=3, is_over=False) for _ in range(5)]
    async with Running(sqlite_library, histories):
        for match, entries in matches:
            await record(log, match, entries[:1])
        await asyncio.gather(*(until_known(sqlite_library, match, 1) for match, _ in matches))
        for match, entries in matches:
            await log.servers.of(match[0]).client.xgroup_destroy(partitions.feed_key(match[0]), GROUP)
            await record(log, match, entries[1:])
        await asyncio.gather(*(until_known(sqlite_library, match, 3) for match, _ in matches))


async def test_an_entry_that_cannot_be_read_is_set_aside_and_the_partition_goes_on(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    home = bytes([7])
    bad, entries = make_history(home + bytes(14) + b"1", length=3, is_over=False)
    good, more = make_history(home + bytes(14) + b"2", length=3)
    broken = Entry(3, entries[2].head, b"\xff no entry")
    async with Running(sqlite_library, histories):
        await record(log, bad, [*entries[:2], broken])
        await record(log, good, more)
        await until_known(sqlite_library, good, 3)
        await until_known(sqlite_library, bad, 2)
        await record(log, *make_history(home + bytes(14) + b"3"))
        await until_known(sqlite_library, home + bytes(14) + b"3", 4)
    assert await sqlite_library.quarantined([bad, good]) == {bad}
    found = (await sqlite_library.find([bad]))[bad]
    assert (found.version, found.is_quarantined) == (2, True)
    assert (await log.load(bad)).is_frozen
    assert not (await log.load(good)).is_frozen


async def test_a_library_that_is_behind_a_trimmed_feed_reads_the_histories(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    match, entries = make_history(length=4)
    async with Running(sqlite_library, histories):
        await record(log, match, entries[:2])
        await until_known(sqlite_library, match, 2)
    await record(log, match, entries[2:])
    await log.servers.of(match[0]).client.xtrim(partitions.feed_key(match[0]), maxlen=0, approximate=False)
    async with Running(sqlite_library, histories):
        await until_known(sqlite_library, match, 4)


async def test_an_ended_match_is_archived_then_leaves_the_log(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    match, entries = make_history()
    await record(log, match, entries)
    await reindex(sqlite_library, histories)
    await keep_all(sqlite_library, histories, keep_s=3600)
    assert await histories.archive.read(match) == entries
    assert await histories.read_log(match) == entries
    await keep_all(sqlite_library, histories)
    assert await histories.read_log(match) == []
    assert await histories.read(match) == entries
    gone = await log.gone(match)
    assert gone is not None
    assert (gone.version, gone.digest) == (len(entries), entries[-1].digest)
    assert (await sqlite_library.find([match]))[match].is_retired


async def test_an_archive_written_by_half_is_written_again_before_the_log_forgets(
    log: EventLog, histories: Histories, sqlite_library: Library, tmp_path: Path
) -> None:
    match, entries = make_history(length=30)
    await record(log, match, entries)
    await reindex(sqlite_library, histories)
    await keep_all(sqlite_library, histories, keep_s=3600)
    file = tmp_path / "archive" / path_of(match)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    await keep_all(sqlite_library, histories)
    assert file.read_bytes() == whole
    assert await histories.read_log(match) == []


async def test_a_stop_between_any_two_steps_changes_nothing(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    match, entries = make_history()
    await record(log, match, entries)
    await reindex(sqlite_library, histories)
    await keep_all(sqlite_library, histories)
    for flags in ({"is_retired": False}, {"is_retired": False, "is_archived": False}):
        await sqlite_library.mark([match], **flags)
        await keep_all(sqlite_library, histories)
        found = (await sqlite_library.find([match]))[match]
        assert (found.is_archived, found.is_retired) == (True, True)
        assert await histories.read(match) == entries


async def test_a_broken_chain_is_never_archived(
    log: EventLog, histories: Histories, sqlite_library: Library, tmp_path: Path
) -> None:
    match, entries = make_history(length=4)
    other = make_history(match, length=4)[1]
    await record(log, match, [*entries[:2], other[2], entries[3]])
    await reindex(sqlite_library, histories)
    await keep_all(sqlite_library, histories)
    assert await sqlite_library.quarantined([match]) == {match}
    assert not (tmp_path / "archive" / path_of(match)).exists()
    assert len(await histories.read_log(match)) == 4


async def test_the_library_is_made_anew_from_log_and_archive(
    log: EventLog, histories: Histories, sqlite_library: Library
) -> None:
    ended, live = make_history(), make_history(is_over=False)
    for match, entries in (ended, live):
        await record(log, match, entries)
    await reindex(sqlite_library, histories)
    await keep_all(sqlite_library, histories)
    before = await sqlite_library.find([ended[0], live[0]])
    for match in (ended[0], live[0]):
        await sqlite_library.forget(match)
    counts = await reindex(sqlite_library, histories)
    assert (counts["log"], counts["archive"], counts["unreadable"]) == (1, 1, 0)
    assert await sqlite_library.find([ended[0], live[0]]) == before


async def test_a_damaged_file_does_not_make_the_library_forget_its_match(
    log: EventLog, histories: Histories, sqlite_library: Library, tmp_path: Path
) -> None:
    match, entries = make_history()
    await record(log, match, entries)
    await reindex(sqlite_library, histories)
    await keep_all(sqlite_library, histories)
    async with sqlite_library.database.writing() as connection:
        await connection.execute(update(schema.matches).values(update_ms=0))
    before = await sqlite_library.find([match])
    (tmp_path / "archive" / path_of(match)).write_bytes(b"nothing")
    assert (await reindex(sqlite_library, histories))["unreadable"] == 1
    assert await sqlite_library.find([match]) == before
