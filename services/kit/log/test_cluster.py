"""The log on a cluster: partitions on several servers, and one that moves; and on a server with a replica."""

import asyncio
from collections.abc import Iterator

import pytest
from redis.asyncio import Redis

from services.kit.log import feed, partitions
from services.kit.log.feed import GroupLost
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from tests import clusters, ports, servers
from tests.clusters import Node
from tests.histories import Heard, Match


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[Node]]:
    with clusters.running(2) as running:
        yield running


def match_in(partition: int) -> Match:
    match = Match()
    match.id = bytes([partition]) + match.id[1:]
    return match


async def test_each_server_has_its_partitions(nodes: list[Node]) -> None:
    async with open_log(RedisSettings(redis_url=nodes[1].url)) as log:
        assert len(log.servers.all) == 2
        matches = [match_in(partition) for partition in range(0, 256, 5)]
        await asyncio.gather(*(match.grow(log, 3) for match in matches))
        for match in matches:
            assert len((await log.load(match.id)).entries) == 3
        assert {log.servers.of(match.id[0]).address for match in matches} == {f"127.0.0.1:{n.port}" for n in nodes}


async def test_feeds_deadlines_and_rebuilding_span_the_servers(nodes: list[Node]) -> None:
    async with open_log(RedisSettings(redis_url=nodes[0].url)) as log:
        consumer = log.feed("group", "c")
        with pytest.raises(GroupLost):
            await consumer.read(10)
        await consumer.create(dict.fromkeys(range(256), "$"))
        matches = [match_in(partition) for partition in (0, 100, 200, 255)]
        for match in matches:
            await log.append(match.next(due_ms=1))
        assert {pointer.match for pointer in await consumer.read(10)} == {match.id for match in matches}
        assert {match.id for match in matches} <= set(await log.due(1))
        assert await feed.rebuild(log.servers, lambda found: found in {m.id for m in matches}) == 4
        assert len(await consumer.read(10)) == 4


async def test_a_partition_moves_under_writers_and_followers(nodes: list[Node]) -> None:
    partition, heard = 10, Heard()
    match = match_in(partition)
    async with open_log(RedisSettings(redis_url=nodes[0].url)) as log:
        with log.follow(match.id, heard):
            await heard.until(lambda news: news == [None])
            await match.grow(log, 2)
            await heard.until(lambda news: news == [None, 1, 2])
            await asyncio.to_thread(clusters.move_slot, 64 * partition + 32, *nodes)
            await match.grow(log, 1)
            await heard.until(lambda news: news[-1] in {None, 3} and len(news) > 3)
            assert log.servers.of(partition).address == f"127.0.0.1:{nodes[1].port}"
            await until_followed(log, match)
            await match.grow(log, 1)
            await heard.until(lambda news: news[-1] == 4)
        assert len(await log.read(match.id, 0)) == 4
    await asyncio.to_thread(clusters.move_slot, 64 * partition + 32, nodes[1], nodes[0])


async def until_followed(log: EventLog, match: Match) -> None:
    """Waits until the subscription stands at the match's new server."""
    server, channel = log.servers.of(match.id[0]), partitions.keys_of(match.id).history
    async with asyncio.timeout(60):
        while not (await server.ask("PUBSUB", "SHARDNUMSUB", channel))[1]:  # noqa: ASYNC110 - the server is another process
            await asyncio.sleep(0.02)


async def test_a_replica_confirms(match: Match) -> None:
    port = ports.free_port()
    with servers.running(arguments=("--port", str(port))) as primary:
        settings = RedisSettings(redis_url=primary.url, redis_replicas=1, redis_replicas_wait_s=10)
        with servers.running(arguments=("--replicaof", "127.0.0.1", str(port))) as replica:
            async with open_log(settings) as log:
                await match.grow(log, 3)
            async with Redis.from_url(replica.url) as client:
                assert await client.xlen(partitions.keys_of(match.id).history) == 3
