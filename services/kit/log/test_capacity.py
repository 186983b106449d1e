"""Space in the store: little of it refuses new matches, and only so much more of it takes them again."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from services.kit.errors import Refused
from services.kit.log.capacity import Capacity
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests.servers import Store


async def set_share(url: str, share: float) -> None:
    """Gives the server a limit of which it uses this share."""
    async with Redis.from_url(url) as client:
        used = (await client.info("memory"))["used_memory"]
        await client.config_set("maxmemory", str(int(used / share)))


async def look(capacity: Capacity) -> bool:
    """Whether there is little space, seen now."""
    capacity._looked_at = float("-inf")
    try:
        await capacity.check()
        told = "OK"
    except Refused as refused:
        told = refused.name
    assert told == ("STORAGE_LOW" if capacity.is_low else "OK")
    return capacity.is_low


async def test_memory_has_a_mark_and_another_for_the_way_back(own_store: Store) -> None:
    settings = RedisSettings(redis_url=own_store.url, redis_full=0.5)
    async with open_log(settings) as log, Redis.from_url(own_store.url) as client:
        await client.set("ballast", bytes(16 * 1024 * 1024))  # beside which a connection more is nothing
        found = []
        for share in (0.2, 0.8, 0.475, 0.3, 0.475):
            await set_share(own_store.url, share)
            found.append(await look(log.capacity))
        assert found == [False, True, True, False, False]
        assert log.capacity.gauges()["store_is_low"] == 0.0
        assert 0.4 < log.capacity.gauges()["store_used_share"] < 0.5


async def test_the_disk_is_watched_where_it_is_ours(store: Store, tmp_path: Path) -> None:
    for free_mib, is_low in ((1, False), (2**40, True)):
        settings = RedisSettings(redis_url=store.url, redis_folder=tmp_path, redis_free_mib=free_mib)
        async with open_log(settings) as log:
            assert await look(log.capacity) == is_low
            assert log.capacity.gauges()["store_free_bytes"] > 0


async def test_a_store_that_is_away_is_not_full(own_store: Store) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url, redis_full=0.5)) as log:
        await set_share(own_store.url, 0.8)
        assert await look(log.capacity)
        own_store.kill()
        assert await look(log.capacity)  # what was seen last stands
        own_store.start()
        assert not await look(log.capacity)  # its limit is the one of its configuration again


async def test_a_mark_beyond_everything_never_refuses(own_store: Store) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url, redis_full=9.0)) as log:
        await set_share(own_store.url, 1.0)
        assert not await look(log.capacity)


@pytest.mark.parametrize("draining", [True, False])
async def test_it_looks_by_itself_until_the_process_drains(store: Store, draining: bool) -> None:
    async with open_log(RedisSettings(redis_url=store.url)) as log, asyncio.timeout(60):
        end = asyncio.Event()
        if draining:
            end.set()
            await log.capacity.watch_over(end)
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(log.capacity.watch_over(end))
            while log.capacity.found.used == 0.0:  # noqa: ASYNC110 - another task finds it
                await asyncio.sleep(0.02)
            end.set()
