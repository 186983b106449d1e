"""How matches come to be, start, and end without being played out."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.integration.players import guests
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(("sirenen", "ruhe")) as running:
        yield running


async def _until(client: Client, match: str, state: pb.Match.State.ValueType) -> pb.Match:
    """The match once it is in this state."""
    async with asyncio.timeout(60):
        async for _ in client.follow(match):
            if (shown := await client.get(match)).state == state:
                return shown
    raise AssertionError(f"{match} ended and never was in state {state}")


async def test_solo_starts_at_once(platform: Platform) -> None:
    async with guests(platform, 1) as (anna,):
        match = await anna.create("ruhe", options=Options(min_seats=1, max_seats=1), seats=[pb.SeatRequest(seat=0)])
        assert match.state == pb.Match.STATE_ACTIVE
        assert match.head.version == 1


async def test_a_range_starts_when_all_who_are_there_are_ready(platform: Platform) -> None:
    async with guests(platform, 3) as clients:
        options = Options(min_seats=2, max_seats=5)
        match = await clients[0].create("ruhe", options=options, seats=[pb.SeatRequest(seat=0)])
        await clients[0].ready(match.name)
        for client in clients[1:]:
            assert (await client.join(match.name)).match.state == pb.Match.STATE_OPEN
        await clients[1].ready(match.name)
        started = (await clients[2].ready(match.name)).match
        assert started.state == pb.Match.STATE_ACTIVE
        assert len(started.seats) == 3
        with pytest.raises(ArgosyError) as late:
            await clients[2].ready(match.name)
        assert late.value.name == "MATCH_STARTED"


async def test_who_is_not_ready_in_time_is_made_ready(platform: Platform) -> None:
    async with guests(platform, 2) as clients:
        options = Options(ready_required=True, ready_seconds=1)
        match = await clients[0].create("sirenen", options=options, seats=[pb.SeatRequest(seat=0)])
        await clients[1].join(match.name, secret=b"s" * 32)
        assert (await clients[0].get(match.name)).state == pb.Match.STATE_OPEN
        started = await _until(clients[0], match.name, pb.Match.STATE_ACTIVE)
        assert all(seat.ready for seat in started.seats)


async def test_a_match_that_nobody_joins_expires(platform: Platform) -> None:
    async with guests(platform, 2) as clients:
        options = Options(expire_seconds=1)
        match = await clients[0].create("sirenen", options=options, seats=[pb.SeatRequest(seat=0)])
        gone = await _until(clients[0], match.name, pb.Match.STATE_ABORTED)
        assert (gone.end.outcome, gone.end.reason) == (entry_pb2.End.OUTCOME_ABORTED, "EXPIRED")
        with pytest.raises(ArgosyError) as over:
            await clients[1].join(match.name)
        assert over.value.name == "MATCH_ENDED"


async def test_a_match_that_nobody_plays_is_abandoned(platform: Platform) -> None:
    async with guests(platform, 2) as clients:
        options = Options(idle_seconds=1)
        match = await clients[0].create("sirenen", options=options, seats=[pb.SeatRequest(seat=0)])
        await clients[1].join(match.name)
        ended = await _until(clients[0], match.name, pb.Match.STATE_ENDED)
        assert (ended.end.outcome, list(ended.end.scores)) == (entry_pb2.End.OUTCOME_ABANDONED, [])


async def test_one_person_may_hold_several_seats_where_all_win_together(platform: Platform) -> None:
    async with guests(platform, 1) as (anna,):
        seats = [pb.SeatRequest(seat=s) for s in range(3)]
        match = await anna.create("ruhe", options=Options(max_seats=3), seats=seats)
        assert list(match.own_seats) == [0, 1, 2]
        hands = [(await anna.get(match.name, seat)).position.value for seat in range(3)]
        assert len(set(hands)) == 3
        with pytest.raises(ArgosyError) as unclear:
            await anna.list_actions(match.name)
        assert unclear.value.name == "NOT_SEATED"
        rival = [pb.SeatRequest(seat=0), pb.SeatRequest(seat=1)]
        with pytest.raises(ArgosyError) as twice:
            await anna.create("sirenen", seats=rival)
        assert twice.value.name == "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (Options(max_seats=3), "BAD_SETTINGS"),
        (Options(min_seats=2, max_seats=1), "BAD_SETTINGS"),
        (Options(idle_seconds=-1), "INVALID_REQUEST"),
        (Options(disclosure=Options.DISCLOSURE_AT_TIME), "INVALID_REQUEST"),
        (Options.FromString(b"\x30\x4d"), "INVALID_REQUEST"),  # spectators = 77, as nobody's constructor writes it
        (Options.FromString(b"\x48\x4d"), "INVALID_REQUEST"),  # several_seats_each = 77
    ],
)
async def test_options_that_cannot_be_are_refused(platform: Platform, options: Options, name: str) -> None:
    async with guests(platform, 1) as (anna,):
        with pytest.raises(ArgosyError) as refused:
            await anna.create("sirenen", options=options)
        assert refused.value.name == name


async def test_settings_are_the_games_to_judge(platform: Platform) -> None:
    async with guests(platform, 1) as (anna,):
        game = await anna.game("ruhe")
        settings = game.Settings.FromString(game.about.default_settings.value)
        settings.monsters = 2  # type: ignore[attr-defined]  # a message of the game
        with pytest.raises(ArgosyError) as refused:
            await anna.create("ruhe", settings)
        assert (refused.value.name, refused.value.metadata["rule"]) == ("BAD_SETTINGS", "BAD_OPTIONS")


async def test_others_are_seated_only_by_a_key_with_scope_host(platform: Platform) -> None:
    key = await asyncio.to_thread(platform.key, "play", "host")
    async with guests(platform, 1) as (anna,), Client.connect(platform.address, key=key) as host:
        own, stranger = await host.create_player("Own"), await anna.me()
        seats = [pb.SeatRequest(seat=0, player=own.player)]
        match = await host.create("sirenen", seats=seats)
        assert match.seats[0].display_name == "Own"
        for caller, player in ((anna, own.player), (host, stranger.name)):
            with pytest.raises(ArgosyError) as refused:
                await caller.create("sirenen", seats=[pb.SeatRequest(seat=0, player=player)])
            assert refused.value.name in ("SCOPE_MISSING", "NOT_FOUND")


async def test_a_bot_is_seated_by_the_creator_only(platform: Platform) -> None:
    async with guests(platform, 2) as clients:
        match = await clients[0].create("sirenen", seats=[pb.SeatRequest(seat=0)])
        with pytest.raises(ArgosyError) as refused:
            await clients[1].create("sirenen", seats=[pb.SeatRequest(seat=0, bot_policy="no such policy")])
        assert refused.value.name == "INVALID_REQUEST"
        assert (await clients[0].get(match.name)).state == pb.Match.STATE_OPEN


async def test_a_stranger_does_not_learn_that_a_closed_match_is_there(platform: Platform) -> None:
    async with guests(platform, 3) as (anna, ben, stranger):
        options = Options(invitation=True, spectators=Options.SPECTATORS_NONE)
        match = await anna.create("sirenen", options=options, seats=[pb.SeatRequest(seat=0)])
        await ben.join(match.name)
        actor = (anna, ben)[(await anna.get(match.name)).status.turn[0]]
        (action, *_) = await actor.list_actions(match.name)
        listed = pb.ListActionsRequest(name=match.name)
        asked = [
            stranger.get(match.name),
            stranger._calls.send(stranger._calls.matches.ListActions, listed),
            stranger.play(match.name, action.action, seat=0),
            stranger.play(match.name, pb.ListActionsRequest(name="no action")),
            stranger.join(match.name),
            stranger.ready(match.name),
            stranger.leave(match.name),
            stranger.resign(match.name),
        ]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [getattr(answer, "name", answer) for answer in answers] == ["NOT_FOUND"] * len(asked)
