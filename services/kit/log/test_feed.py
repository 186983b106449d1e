"""Feeds and consumer groups, on Valkey and on Redis."""

import os

import pytest

from services.kit.log import feed, partitions
from services.kit.log.feed import Feed, GroupLost, GroupMissing
from services.kit.log.log import EventLog
from tests.histories import Match


def group_name() -> str:
    return os.urandom(8).hex()


async def reader(log: EventLog, group: str, match: Match) -> Feed:
    """A consumer of the match's partition that begins after what the feed holds already."""
    made = Feed(log.servers, group, "c", of=[match.id[0]])
    await made.create({match.id[0]: "$"})
    return made


async def test_a_consumer_sees_every_entry_in_order(log: EventLog, match: Match) -> None:
    consumer = await reader(log, group_name(), match)
    await match.grow(log, 3)
    pointers = await consumer.read(10)
    assert [(p.match, p.version) for p in pointers] == [(match.id, 1), (match.id, 2), (match.id, 3)]
    assert await consumer.read(10, wait_s=0.05) == []


async def test_what_was_not_acknowledged_is_read_after_a_start(log: EventLog, match: Match) -> None:
    group = group_name()
    consumer = await reader(log, group, match)
    await match.grow(log, 3)
    pointers = await consumer.read(10)
    await consumer.acknowledge(pointers[:1])
    started_again = Feed(log.servers, group, "c", of=[match.id[0]])
    await started_again.create()
    assert await started_again.read_pending(match.id[0], 10) == pointers[1:]
    await started_again.acknowledge(pointers[1:])
    assert await started_again.read_pending(match.id[0], 10) == []


async def test_all_partitions_are_read_at_once(log: EventLog) -> None:
    consumer = log.feed(group_name(), "c")
    await consumer.create(dict.fromkeys(range(partitions.COUNT), "$"))
    matches = [Match() for _ in range(20)]
    for match in matches:
        await match.grow(log, 1)
    assert {pointer.match for pointer in await consumer.read(100)} == {match.id for match in matches}


async def test_a_lost_group_is_told_and_made_again_where_its_consumer_was(log: EventLog, match: Match) -> None:
    group = group_name()
    consumer = await reader(log, group, match)
    await match.grow(log, 3)
    seen = (await consumer.read(2))[-1]
    await log.servers.of(match.id[0]).client.xgroup_destroy(partitions.feed_key(match.id[0]), group)
    with pytest.raises(GroupLost) as lost:
        await consumer.read(10)
    await consumer.create({lost.value.partition: seen.position})
    assert [pointer.version for pointer in await consumer.read(10)] == [3]


async def test_trimming_keeps_what_a_group_has_yet_to_acknowledge(log: EventLog, match: Match) -> None:
    partition, fast, slow = match.id[0], group_name(), group_name()
    await log.servers.of(partition).client.delete(partitions.feed_key(partition))
    readers = [await reader(log, name, match) for name in (fast, slow)]
    await match.grow(log, 5)
    await readers[0].acknowledge(await readers[0].read(10))
    assert await feed.trim(log.servers, partition, [fast, slow]) == 0
    held = await readers[1].read(4)
    await readers[1].acknowledge(held[:2])
    assert await feed.trim(log.servers, partition, [fast, slow]) == 2
    assert await readers[1].read_pending(partition, 10) == held[2:]
    assert [pointer.version for pointer in await readers[1].read(10)] == [5]


async def test_nothing_is_trimmed_while_a_group_is_missing(log: EventLog, match: Match) -> None:
    consumer = await reader(log, group_name(), match)
    await match.grow(log, 2)
    await consumer.acknowledge(await consumer.read(10))
    with pytest.raises(GroupMissing):
        await feed.trim(log.servers, match.id[0], ["replay-not-made-yet"])


async def test_the_feed_is_rebuilt_from_the_histories(log: EventLog, match: Match) -> None:
    await match.grow(log, 3)
    await log.servers.of(match.id[0]).client.delete(partitions.feed_key(match.id[0]))
    consumer = Feed(log.servers, group_name(), "c", of=[match.id[0]])
    await consumer.create()
    assert await feed.rebuild(log.servers, lambda found: found == match.id) == 3
    assert [(p.match, p.version) for p in await consumer.read(10)] == [(match.id, v) for v in (1, 2, 3)]
