"""Where feeds stand, on Valkey and on Redis."""

import os

from services.kit.log import partitions
from services.kit.log.ends import START, End, count_after, feed_ends, is_after, recreate_group
from services.kit.log.feed import Feed
from services.kit.log.log import EventLog
from tests.histories import Match


async def test_an_end_is_that_of_the_last_pointer(log: EventLog, match: Match) -> None:
    home = match.id[0]
    before = (await feed_ends(log.servers, [home]))[home]
    await match.grow(log, 3)
    after = (await feed_ends(log.servers))[home]
    assert is_after(after.last, before.last)
    assert await count_after(log.servers, {home: before.last}, 100) == 3
    assert await count_after(log.servers, {home: before.last}, 2) == 2
    assert await count_after(log.servers, {home: after.last}, 100) == 0


async def test_what_was_dropped_is_told_from_what_was_read(log: EventLog, match: Match) -> None:
    home, key = match.id[0], partitions.feed_key(match.id[0])
    await match.grow(log, 3)
    client, whole = log.servers.of(home).client, (await feed_ends(log.servers, [home]))[home]
    await client.xtrim(key, minid=whole.last, approximate=False)
    trimmed = (await feed_ends(log.servers, [home]))[home]
    assert not trimmed.lost_after(whole.last)
    assert trimmed.lost_after(whole.first)
    await client.xtrim(key, maxlen=0, approximate=False)
    emptied = (await feed_ends(log.servers, [home]))[home]
    assert (emptied.first, emptied.last) == (START, whole.last)
    assert not emptied.lost_after(whole.last)
    assert emptied.lost_after(whole.first)
    assert not End().lost_after(START)


async def test_a_group_is_made_to_begin_where_its_consumer_says(log: EventLog, match: Match) -> None:
    group, home = os.urandom(8).hex(), match.id[0]
    start = (await feed_ends(log.servers, [home]))[home].last
    await recreate_group(log.servers, group, {home: start})
    await match.grow(log, 3)
    consumer = Feed(log.servers, group, "c", of=[home])
    first = await consumer.read(1)
    assert [p.version for p in await consumer.read(10)] == [2, 3]
    await recreate_group(log.servers, group, {home: first[0].position})
    assert [p.version for p in await consumer.read(10)] == [2, 3]
    assert await consumer.read_pending(home, 10) != []
