"""What an append answers when the server dies, is paused or is full; and what is there afterwards."""

import asyncio
import signal

import pytest

from services.kit.log.entries import Appended, Duplicate, StorageLow, Unavailable, Unconfirmed
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from tests import servers
from tests.histories import Heard, Match
from tests.servers import Store


async def test_a_killed_server_keeps_every_acknowledged_entry(own_store: Store) -> None:
    matches = [Match() for _ in range(50)]
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(grow_until_cut(log, match)) for match in matches]
            await asyncio.sleep(0.5)
            own_store.kill()
        unsure = [task.result() for task in tasks]
        own_store.start()
        for match, lost in zip(matches, unsure, strict=True):
            entries = await log.read(match.id, 0)
            digests = [entry.digest for entry in entries]
            assert digests[: len(match.digests) - 1] == match.digests[1:]
            assert len(entries) <= len(match.digests) - 1 + lost


async def grow_until_cut(log: EventLog, match: Match) -> int:
    """How many entries may be recorded beyond those that were acknowledged."""
    try:
        while True:
            await match.grow(log, 1)
            if len(match.digests) == 250:
                await asyncio.sleep(60)
    except Unconfirmed:
        return 1
    except Unavailable:
        return 0


async def test_a_paused_server_is_unconfirmed_and_a_retry_finds_out(own_store: Store, match: Match) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url, redis_timeout_s=0.5)) as log:
        await match.grow(log, 1)
        append = match.next()
        own_store.kill(signal.SIGSTOP)
        with pytest.raises(Unconfirmed):
            await log.append(append)
        own_store.kill(signal.SIGCONT)
        assert await log.append(append) in {Duplicate(2), Appended(2)}
        assert len(await log.read(match.id, 0)) == 2


async def test_a_server_that_is_not_there_records_nothing_and_comes_back(own_store: Store, match: Match) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        await match.grow(log, 1)
        own_store.kill()
        with pytest.raises((Unavailable, Unconfirmed)):  # the connection may not be known to have ended yet
            await log.append(match.next())
        with pytest.raises(Unavailable):
            await log.append(match.next())
        with pytest.raises(Unavailable):
            await log.read(match.id, 0)
        own_store.start()
        await match.grow(log, 1)
        assert len(await log.read(match.id, 0)) == 2


async def test_a_full_server_refuses_and_keeps_what_it_has(match: Match) -> None:
    with servers.running(maxmemory=8 * 1024 * 1024) as store:
        async with open_log(RedisSettings(redis_url=store.url)) as log:
            with pytest.raises(StorageLow):
                await fill(log, match)
            assert (await log.head(match.id)) == match.head
            assert len(await log.read(match.id, 0)) == min(256, match.head.version)


async def fill(log: EventLog, match: Match) -> None:
    for _ in range(2000):
        append = match.next(body=bytes(16_000))
        assert isinstance(await log.append(append), Appended)
        match.digests.append(append.digest)


async def test_missing_replicas_leave_an_entry_unconfirmed(own_store: Store, match: Match) -> None:
    settings = RedisSettings(redis_url=own_store.url, redis_replicas=1, redis_replicas_wait_s=0.05)
    async with open_log(settings) as log:
        append = match.next()
        with pytest.raises(Unconfirmed):
            await log.append(append)
        assert await log.append(append) == Duplicate(1)


async def test_followers_of_a_silent_server_read_again(own_store: Store, match: Match) -> None:
    heard = Heard()
    async with open_log(RedisSettings(redis_url=own_store.url, redis_timeout_s=0.3)) as log:
        with log.follow(match.id, heard):
            await heard.until(lambda news: news == [None])
            own_store.kill(signal.SIGSTOP)
            await asyncio.sleep(2)
            own_store.kill(signal.SIGCONT)
            await heard.until(lambda news: len(news) > 1 and news[-1] is None)
            await match.grow(log, 1)
            await heard.until(lambda news: news[-1] == 1)
