"""Reading, snapshots, deadlines and news, on Valkey and on Redis."""

import asyncio
import os
from dataclasses import replace
from typing import Any

import pytest

from services.kit.log import partitions
from services.kit.log.entries import FEW, MAX_ENTRY, MAX_STATE, PAGE, Appended, BrokenHistory, Snapshot
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from tests.histories import Heard, Match
from tests.servers import Store


async def test_reading_goes_on_after_a_version(log: EventLog, match: Match) -> None:
    await match.grow(log, 5)
    assert [entry.version for entry in await log.read(match.id, 2)] == [3, 4, 5]
    assert [entry.version for entry in await log.read(match.id, 2, count=2)] == [3, 4]
    assert await log.read(match.id, 5) == ()
    assert await log.read(os.urandom(16), 0) == ()
    assert await log.head(match.id) == match.head


async def test_a_history_with_a_gap_is_not_read(log: EventLog, match: Match) -> None:
    await match.grow(log, 4)
    await log.servers.of(match.id[0]).client.xdel(partitions.keys_of(match.id).history, "0-2")
    with pytest.raises(BrokenHistory, match="version 2: the next entry is 0-3"):
        await log.read(match.id, 0)
    assert len(await log.read(match.id, 2)) == 2


async def test_a_stray_entry_is_not_read(log: EventLog, match: Match) -> None:
    await match.grow(log, 1)
    await log.servers.of(match.id[0]).client.xadd(partitions.keys_of(match.id).history, {"x": "y"}, id="0-2")
    with pytest.raises(BrokenHistory, match="no entry of ours"):
        await log.load(match.id)


async def test_loading_without_a_snapshot_gives_all_entries(log: EventLog, match: Match) -> None:
    await match.grow(log, 3)
    loaded = await log.load(match.id)
    assert loaded.snapshot is None
    assert [entry.version for entry in loaded.entries] == [1, 2, 3]
    assert loaded.is_complete
    assert not loaded.is_frozen


async def test_loading_what_never_was(log: EventLog) -> None:
    loaded = await log.load(os.urandom(16))
    assert (loaded.snapshot, loaded.entries, loaded.gone) == (None, (), None)


async def test_a_retired_match_loads_as_gone(log: EventLog, match: Match) -> None:
    await match.grow(log, 1)
    assert await log.retire(match.head)
    loaded = await log.load(match.id)
    assert loaded.gone
    assert (loaded.gone.version, loaded.gone.digest) == (1, match.head.digest)


async def test_a_snapshot_written_with_an_entry(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    append = match.next()
    snapshot = Snapshot(3, append.digest, b"\0state", b"p" * 24, b"extra")
    assert await log.append(replace(append, snapshot=snapshot)) == Appended(3)
    match.digests.append(append.digest)
    await match.grow(log, 2)
    loaded = await log.load(match.id)
    assert loaded.snapshot == snapshot
    assert [entry.version for entry in loaded.entries] == [4, 5]


async def test_a_snapshot_written_later(log: EventLog, match: Match) -> None:
    await match.grow(log, 4)
    newer, older = (Snapshot(version, match.digests[version], b"s", b"p") for version in (3, 2))
    assert await log.write_snapshot(match.id, newer)
    assert not await log.write_snapshot(match.id, older)
    assert not await log.write_snapshot(match.id, replace(newer, version=4))
    loaded = await log.load(match.id)
    assert loaded.snapshot == newer
    assert [entry.version for entry in loaded.entries] == [4]


async def test_a_snapshot_that_does_not_fit_is_left_out(log: EventLog, match: Match) -> None:
    await match.grow(log, 3)
    snap: dict[Any, Any] = {"v": 2, "d": os.urandom(32), "s": b"s", "i": b"p", "x": b""}
    await log.servers.of(match.id[0]).client.hset(partitions.keys_of(match.id).snap, mapping=snap)
    loaded = await log.load(match.id)
    assert loaded.snapshot is None
    assert len(loaded.entries) == 3


async def test_a_retired_match_leaves_no_snapshot_behind(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    snapshot = Snapshot(2, match.head.digest, b"s", b"p")
    assert await log.write_snapshot(match.id, snapshot)
    assert await log.retire(match.head)
    assert not await log.write_snapshot(match.id, snapshot)
    keys = partitions.keys_of(match.id)
    assert await log.servers.of(match.id[0]).client.exists(keys.snap, keys.history, keys.frozen) == 0


async def test_a_long_history_is_loaded_in_pages(log: EventLog, match: Match) -> None:
    await match.grow(log, PAGE + 3)
    loaded = await log.load(match.id)
    assert (len(loaded.entries), loaded.is_complete) == (FEW, False)
    assert len(await log.read(match.id, PAGE)) == 3


async def test_the_largest_matches_are_loaded_at_once(log: EventLog) -> None:
    """Together more than a server buffers for one client, and all come over one connection."""
    matches = [Match() for _ in range(24)]
    await asyncio.gather(*(fill(log, match) for match in matches))
    loaded = await asyncio.gather(*(log.load(match.id) for match in matches))
    assert [len(found.entries) for found in loaded] == [FEW] * len(matches)
    pages = await asyncio.gather(*(log.read(match.id, 0) for match in matches))
    assert [len(page) for page in pages] == [FEW + 1] * len(matches)


async def fill(log: EventLog, match: Match) -> None:
    """A snapshot and as many entries after it as are read with it, all as large as they may be."""
    for _ in range(FEW + 1):
        append = match.next(body=bytes(MAX_ENTRY))
        assert isinstance(await log.append(append), Appended)
        match.digests.append(append.digest)
    assert await log.write_snapshot(match.id, Snapshot(1, match.digests[1], bytes(MAX_STATE), b""))


async def test_deadlines(log: EventLog, match: Match) -> None:
    await log.append(match.next(due_ms=1_000))
    assert match.id in await log.due(1_000, 10_000)
    assert match.id not in await log.due(999, 10_000)


async def test_a_deadline_stays_moves_and_ends(log: EventLog, match: Match) -> None:
    for due_ms, is_due_at in ((1_000, 1_000), (None, 1_000), (3_000, 3_000)):
        append = match.next(due_ms=due_ms)
        assert isinstance(await log.append(append), Appended)
        match.digests.append(append.digest)
        assert match.id in await log.due(is_due_at, 10_000)
        assert match.id not in await log.due(is_due_at - 1, 10_000)
    await log.append(match.next(due_ms=0))
    assert match.id not in await log.due(9_000_000_000_000, 10_000)


async def test_followers_hear_of_every_version(any_store: Store, match: Match) -> None:
    settings, first, second = RedisSettings(redis_url=any_store.url), Heard(), Heard()
    async with open_log(settings) as here, open_log(settings) as there:
        with here.follow(match.id, first), there.follow(match.id, second):
            await first.until(lambda news: news == [None])
            await second.until(lambda news: news == [None])
            await match.grow(here, 3)
            await first.until(lambda news: news == [None, 1, 2, 3])
            await second.until(lambda news: news == [None, 1, 2, 3])


async def test_a_second_follower_is_told_to_read_too(log: EventLog, match: Match) -> None:
    first, second = Heard(), Heard()
    with log.follow(match.id, first):
        await first.until(lambda news: news == [None])
        with log.follow(match.id, second):
            await second.until(lambda news: news == [None])
            await match.grow(log, 1)
            await second.until(lambda news: news == [None, 1])
        await match.grow(log, 1)
        await first.until(lambda news: news[-1] == 2)
    assert second.news == [None, 1]


async def test_the_last_follower_ends_the_subscription(log: EventLog, match: Match) -> None:
    heard, other, channel = Heard(), Heard(), partitions.keys_of(match.id).history
    server = log.servers.of(match.id[0])
    with log.follow(match.id, heard):
        await heard.until(lambda news: news == [None])
        assert (await server.ask("PUBSUB", "SHARDNUMSUB", channel))[1] == 1
    with log.follow(match.id, other):
        await other.until(lambda news: news == [None])
    follower = Heard()
    with log.follow(os.urandom(16), follower):
        await follower.until(lambda news: news == [None])
    assert (await server.ask("PUBSUB", "SHARDNUMSUB", channel))[1] == 0


async def test_followers_read_again_after_the_connection_was_cut(own_store: Store, match: Match) -> None:
    heard = Heard()
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        with log.follow(match.id, heard):
            await heard.until(lambda news: news == [None])
            await match.grow(log, 1)
            await heard.until(lambda news: news == [None, 1])
            await log.servers.of(0).ask("CLIENT", "KILL", "TYPE", "pubsub")
            await heard.until(lambda news: news[-1] is None)
            await match.grow(log, 1)
            await heard.until(lambda news: news[-1] == 2)
