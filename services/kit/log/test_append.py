"""Every answer of the append function, on Valkey and on Redis."""

import asyncio
import os
from dataclasses import replace

import pytest

from services.kit.log import partitions
from services.kit.log.entries import (
    Append,
    Appended,
    BrokenHistory,
    Clock,
    Conflict,
    Diverged,
    Duplicate,
    Frozen,
    Gone,
    NewHead,
    Pipeline,
    RequestIdReused,
    Snapshot,
)
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from tests.histories import Match, now_ms
from tests.servers import Store


async def stored(log: EventLog, match: Match) -> list[bytes]:
    return [entry.body for entry in await log.read(match.id, 0)]


async def is_frozen(log: EventLog, match: Match) -> bool:
    return (await log.load(match.id)).is_frozen


async def test_entries_are_recorded_in_order(log: EventLog, match: Match) -> None:
    await match.grow(log, 3)
    entries = await log.read(match.id, 0)
    assert [entry.version for entry in entries] == [1, 2, 3]
    assert [entry.digest for entry in entries] == match.digests[1:]
    assert [entry.body for entry in entries] == [b"entry 0", b"entry 1", b"entry 2"]


async def test_what_a_request_was_stands_in_the_entry(log: EventLog, match: Match) -> None:
    append = match.next()
    assert await log.append(append) == Appended(1)
    (entry,) = await log.read(match.id, 0)
    assert (entry.stored_request_id, entry.request_digest) == (append.stored_request_id, append.request_digest)


async def test_a_later_entry_of_somebody_else_is_a_conflict(log: EventLog, match: Match) -> None:
    await match.grow(log, 1)
    late = match.next()
    await match.grow(log, 2)
    assert await log.append(late) == Conflict(3)
    assert len(await stored(log, match)) == 3
    assert not await is_frozen(log, match)


async def test_a_second_first_entry_is_a_conflict(log: EventLog, match: Match) -> None:
    first = match.next()
    await match.grow(log, 1)
    assert await log.append(first) == Conflict(1)


async def test_the_same_request_again_is_a_duplicate(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    again = match.next()
    assert await log.append(again) == Appended(3)
    assert await log.append(replace(again, digest=os.urandom(32), body=b"decided anew")) == Duplicate(3)
    assert (await stored(log, match))[2] == b"entry 2"


async def test_a_duplicate_is_found_at_the_next_version_however_long_the_history(log: EventLog, match: Match) -> None:
    again = match.next()
    assert await log.append(again) == Appended(1)
    match.digests.append(again.digest)
    await match.grow(log, 3)
    assert await log.append(again) == Duplicate(1)


async def test_the_same_request_id_with_another_request(log: EventLog, match: Match) -> None:
    first = match.next()
    assert await log.append(first) == Appended(1)
    assert await log.append(replace(first, request_digest=os.urandom(32))) == RequestIdReused(1)


async def test_the_platforms_own_entries_are_never_duplicates(log: EventLog, match: Match) -> None:
    first = match.next(stored_request_id=bytes(16), request_digest=bytes(32))
    assert await log.append(first) == Appended(1)
    assert await log.append(first) == Conflict(1)


async def test_a_future_version_diverges_and_freezes(log: EventLog, match: Match) -> None:
    await match.grow(log, 1)
    ahead = replace(match.next(), expected_version=5)
    assert await log.append(ahead) == Diverged(1)
    assert await log.append(match.next()) == Frozen()
    assert len(await stored(log, match)) == 1


async def test_another_digest_at_the_head_diverges_and_freezes(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    assert await log.append(match.next(expected_digest=os.urandom(32))) == Diverged(2)
    assert await is_frozen(log, match)


async def test_another_digest_below_the_head_diverges_and_freezes(log: EventLog, match: Match) -> None:
    await match.grow(log, 1)
    late = match.next(expected_digest=os.urandom(32))
    await match.grow(log, 2)
    assert await log.append(late) == Diverged(3)
    assert await is_frozen(log, match)


async def test_a_lost_history_diverges(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    await log.servers.of(match.id[0]).client.delete(partitions.keys_of(match.id).history)
    assert await log.append(match.next()) == Diverged(0)
    assert await log.append(Match.next(match)) == Diverged(0)


async def test_a_deleted_entry_diverges(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    late = match.next()
    await match.grow(log, 2)
    await log.servers.of(match.id[0]).client.xdel(partitions.keys_of(match.id).history, "0-3")
    assert await log.append(late) == Diverged(4)


@pytest.mark.parametrize("at", ["0-7", "5-3"])
async def test_a_stray_entry_diverges(log: EventLog, match: Match, at: str) -> None:
    await match.grow(log, 2)
    await log.servers.of(match.id[0]).client.xadd(partitions.keys_of(match.id).history, {"x": "y"}, id=at)
    answer = await log.append(match.next())
    assert isinstance(answer, Diverged)
    assert await log.append(match.next()) == answer


async def test_a_frozen_match_takes_nothing_until_it_is_thawed(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    await log.freeze(match.id, 2)
    assert await log.append(match.next()) == Frozen()
    assert not await log.thaw(NewHead(match.id, 2, bytes(32)))
    assert await log.append(match.next()) == Frozen()
    assert await log.thaw(NewHead(match.id, 2, match.digests[2]))
    await match.grow(log, 1)


async def test_a_duplicate_is_answered_while_frozen(log: EventLog, match: Match) -> None:
    first = match.next()
    assert await log.append(first) == Appended(1)
    await log.freeze(match.id, 1)
    assert await log.append(first) == Duplicate(1)


@pytest.mark.parametrize("off_ms", [-60_000, 60_000])
async def test_a_time_off_the_servers_clock(log: EventLog, match: Match, off_ms: int) -> None:
    answer = await log.append(match.next(record_time_ms=now_ms() + off_ms))
    assert isinstance(answer, Clock)
    assert abs(answer.now_ms - now_ms()) < 60_000
    assert await stored(log, match) == []


async def test_a_time_before_the_predecessors(log: EventLog, match: Match) -> None:
    at = now_ms()
    answer = await log.append(match.next(record_time_ms=at, previous_record_time_ms=at + 1))
    assert isinstance(answer, Clock)
    assert await log.append(match.next(record_time_ms=at, previous_record_time_ms=at)) == Appended(1)


async def test_a_retired_match_is_gone(log: EventLog, match: Match) -> None:
    await match.grow(log, 2)
    head = NewHead(match.id, 2, match.digests[2])
    await log.append(match.next(due_ms=5))  # the head moves on, so the archive is behind
    assert not await log.retire(head)
    at = await log.head(match.id)
    assert at
    assert await log.retire(at)
    assert await log.retire(at)
    assert await log.append(match.next()) == Gone(at.version, at.digest)
    assert await log.gone(match.id) == Gone(at.version, at.digest)
    assert await log.head(match.id) is None
    assert match.id not in await log.due(10, 1000)


async def test_a_frozen_match_is_not_retired(log: EventLog, match: Match) -> None:
    await match.grow(log, 1)
    await log.freeze(match.id, 1)
    assert not await log.retire(NewHead(match.id, 1, match.digests[1]))
    assert len(await stored(log, match)) == 1


async def test_what_never_was_is_not_retired(log: EventLog, match: Match) -> None:
    assert not await log.retire(NewHead(match.id, 1, bytes(32)))
    assert await log.gone(match.id) is None


async def test_a_damaged_neighbour_key_records_nothing(log: EventLog, match: Match) -> None:
    client, keys = log.servers.of(match.id[0]).client, partitions.keys_of(match.id)
    await client.set(keys.snap, "a stray string")
    append = match.next()
    append = replace(append, snapshot=Snapshot(1, append.digest, b"s", b"p"))
    with pytest.raises(BrokenHistory):
        await log.append(append)
    assert await stored(log, match) == []
    assert await log.append(replace(append, snapshot=None)) == Appended(1)


async def test_missing_functions_are_loaded_again(own_store: Store, match: Match) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        await log.servers.of(0).ask("FUNCTION", "FLUSH")
        await match.grow(log, 1)
        await log.servers.of(0).ask("FUNCTION", "FLUSH")
        assert len((await log.load(match.id)).entries) == 1


async def test_fifty_writers_of_one_match(any_store: Store, match: Match) -> None:
    """Each decides again after a conflict; every one gets in once, on a dense chain."""
    async with open_log(RedisSettings(redis_url=any_store.url)) as log, asyncio.TaskGroup() as group:
        tasks = [group.create_task(insist(log, match.id, number)) for number in range(50)]
    assert sorted(task.result() for task in tasks) == list(range(1, 51))
    async with open_log(RedisSettings(redis_url=any_store.url)) as log:
        entries = await log.read(match.id, 0)
    assert [entry.version for entry in entries] == list(range(1, 51))
    assert {entry.body for entry in entries} == {b"%d" % number for number in range(50)}


async def insist(log: EventLog, match: bytes, number: int) -> int:
    while True:
        head = await log.head(match)
        version, digest = (head.version, head.digest) if head else (0, b"")
        at = now_ms()
        made = Append(match, version, digest, os.urandom(32), b"%d" % number, at, 0, os.urandom(16), os.urandom(32))
        answer = await log.append(made)
        if isinstance(answer, Appended):
            return answer.version
        assert isinstance(answer, Conflict)


async def test_fifty_duplicates_at_once_are_one_entry(log: EventLog, match: Match) -> None:
    append = match.next()
    answers = await asyncio.gather(*(log.append(append) for _ in range(50)))
    assert answers.count(Appended(1)) == 1
    assert answers.count(Duplicate(1)) == 49


async def test_a_cancelled_caller_does_not_stop_its_append(log: EventLog, match: Match) -> None:
    task = asyncio.create_task(log.append(match.next()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(await log.append(match.next()), Conflict)  # it travelled behind the first
    assert await stored(log, match) == [b"entry 0"]


async def test_a_pipelines_new_heads_are_told_once(any_store: Store) -> None:
    pipelines: list[Pipeline] = []
    matches = [Match() for _ in range(20)]
    async with open_log(RedisSettings(redis_url=any_store.url), pipelines.append) as log:
        appends = [match.next() for match in matches]
        answers = await asyncio.gather(*(log.append(append) for append in appends))
    assert len(pipelines) < len(matches)
    for append, answer in zip(appends, answers, strict=True):
        assert isinstance(answer, Appended)
        assert answer.pipeline.heads[answer.index] == NewHead(append.match, 1, append.digest)
    assert sum(len(pipeline.heads) for pipeline in pipelines) == len(matches)
