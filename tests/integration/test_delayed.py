"""Spectators who are shown a match late: nothing that they can ask shows them more than the delay allows."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import ArgosyError, Client, Update
from argosy.v1 import entry_pb2, replay_service_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.integration.players import guests
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions
DELAYED = Options.SPECTATORS_DELAYED
MOVES, BACK = 6, 3


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1) as running:
        yield running


async def played(clients: list[Client], options: Options) -> str:
    """A match of the first two that has gone some way."""
    match = await clients[0].create("sirenen", options=options, seats=[pb.SeatRequest(seat=0)])
    await clients[1].join(match.name)
    for _ in range(MOVES):
        turn = (await clients[0].get(match.name)).status.turn[0]
        (action, *_) = await clients[turn].list_actions(match.name)
        await clients[turn].play(match.name, action.action)
    return match.name


async def shown_live(client: Client, match: str, count: int, *, stream: bool, from_start: bool) -> list[Update]:
    """The updates that come, so many; after them nothing more comes for a while."""
    async with client.follow(match, position=True, stream=stream, from_start=from_start) as table:
        seen = [await asyncio.wait_for(anext(table), 60) for _ in range(count)]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(table), 1.5)
    return seen


@pytest.mark.parametrize("stream", [True, False])
async def test_a_live_match_is_shown_by_versions_late(platform: Platform, stream: bool) -> None:
    async with guests(platform, 3) as (anna, bob, eve):
        match = await played([anna, bob], Options(spectators=DELAYED, delay_versions=BACK))
        last = (await anna.get(match)).head.version
        seen = await shown_live(eve, match, last - BACK, stream=stream, from_start=True)
        assert [update.version for update in seen] == list(range(1, last - BACK + 1))
        late = await eve.get(match)
        assert (late.head.version, late.head.digest) == (last - BACK, seen[-1].digest)
        assert seen[-1].position is not None
        assert seen[-1].position == (await eve.game("sirenen")).unpack(late.position)
        assert seen[-1].status is not None
        assert list(late.status.turn) == list(seen[-1].status.turn)
        stands = await shown_live(eve, match, 1, stream=stream, from_start=False)
        assert [(update.version, update.snapshot is None) for update in stands] == [(last - BACK, False)]
        player = (anna, bob)[(await anna.get(match)).status.turn[0]]
        (action, *_) = await player.list_actions(match)
        async with eve.follow(match, after=late.head, stream=stream) as table:
            await player.play(match, action.action)
            assert (await asyncio.wait_for(anext(table), 60)).version == late.head.version + 1
        with pytest.raises(ArgosyError) as ahead:
            await anext(eve.follow(match, after=(await anna.get(match)).head, stream=stream))
        assert ahead.value.name == "HISTORY_DIVERGED"
        assert "version" not in ahead.value.metadata
        with pytest.raises(ArgosyError) as started:
            await eve.join(match)
        assert started.value.name == "MATCH_STARTED"
        assert "version" not in started.value.metadata


async def test_a_live_match_is_shown_by_seconds_late(platform: Platform) -> None:
    async with guests(platform, 3) as (anna, bob, eve):
        match = await played([anna, bob], Options(spectators=DELAYED, delay_seconds=3600))
        assert await shown_live(eve, match, 0, stream=True, from_start=True) == []
        late = await eve.get(match)
        assert (late.head.version, late.state) == (0, pb.Match.STATE_OPEN)
        assert not late.HasField("position")
        assert not late.HasField("status")
        await anna.resign(match)
        ended = [update.version async for update in eve.follow(match)]
        assert ended == list(range(1, (await anna.get(match)).head.version + 1))


async def test_seconds_pass(platform: Platform) -> None:
    async with guests(platform, 3) as (anna, bob, eve):
        match = await played([anna, bob], Options(spectators=DELAYED, delay_seconds=1))
        last = (await anna.get(match)).head.version
        async with asyncio.timeout(60):
            async for update in eve.follow(match, position=True):
                if update.version == last:
                    assert update.position is not None
                    break


@pytest.mark.parametrize("options", [Options(delay_versions=BACK), Options(delay_seconds=3600)], ids=str)
async def test_a_replay_of_a_live_match_is_as_late(platform: Platform, options: Options) -> None:
    options.spectators = DELAYED
    async with guests(platform, 3) as (anna, bob, eve):
        match = await played([anna, bob], options)
        last = (await anna.get(match)).head.version
        allowed = last - BACK if options.delay_versions else 0
        assert [entry.version async for entry in anna.replay(match)] == list(range(1, last + 1))
        assert [entry.version async for entry in eve.replay(match)] == list(range(1, allowed + 1))
        assert [entry.version async for entry in eve.replay(match, after_version=allowed)] == []
        export = replay_service_pb2.Export.FromString(await eve.export(match))
        assert [entry.version for entry in export.entries] == list(range(1, allowed + 1))
        assert not export.opened
        with pytest.raises(ArgosyError) as ahead:
            await eve.position(match, allowed + 1)
        assert ahead.value.name == "INVALID_REQUEST"
        if allowed:
            told = await eve.position(match)
            assert (told.version, told.last_version) == (allowed, allowed)
        with pytest.raises(ArgosyError) as closed:
            _ = [entry async for entry in eve.replay(match, opened=True)]
        assert closed.value.name == "NOT_DISCLOSED"
        await until_listed(anna, match, last)
        (listed,) = [found async for found in eve.matches() if found.name == match]
        assert not listed.HasField("head")
        assert not listed.HasField("update_time")


async def until_listed(client: Client, match: str, version: int) -> None:
    """Waits until the caller's list has this version: the library comes a little later."""
    async with asyncio.timeout(60):
        while version not in [m.head.version async for m in client.matches() if m.name == match]:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.1)
