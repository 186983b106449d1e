"""Partial actions narrow the list of legal ones, step by step, in every game, over the wire."""

import random
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from argosy.client import ArgosyError, Client
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb
from google.protobuf.message import Message

from services.rules.loading import list_games
from tests.integration.players import guests
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
GAMES = list_games()
POSITIONS = 12
Options = entry_pb2.MatchOptions


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(GAMES) as running:
        yield running


def steps(whole: Message) -> Iterator[Message]:
    """Actions with ever more of the fields of a whole one: its kind, then one field after another."""
    partial = type(whole)()
    for put in _puts(whole):
        put(partial)
        found = type(whole)()
        found.CopyFrom(partial)
        yield found


def _puts(whole: Message) -> Iterator[Any]:
    for field, value in whole.ListFields():
        if field.message_type is None:
            yield lambda partial, field=field, value=value: _put(partial, field, value)
            continue
        for item in value if field.is_repeated else ():
            yield lambda partial, field=field, item=item: getattr(partial, field.name).add().CopyFrom(item)
        if not field.is_repeated:
            yield lambda partial, field=field: getattr(partial, field.name).SetInParent()
            for put in _puts(value):
                yield lambda partial, field=field, put=put: put(getattr(partial, field.name))


def _put(partial: Message, field: Any, value: Any) -> None:
    if field.is_repeated:
        getattr(partial, field.name).extend(value)
    else:
        setattr(partial, field.name, value)


def agrees(partial: Message, whole: Message) -> bool:
    """Whether nothing changes in the whole when the partial is merged into it, lists apart: those must begin alike."""
    for field, value in partial.ListFields():
        other = getattr(whole, field.name)
        if field.is_repeated:
            if list(other)[: len(value)] != list(value):
                return False
        elif field.message_type is not None:
            if not whole.HasField(field.name) or not agrees(value, other):
                return False
        elif not whole.HasField(field.name) or value != other:
            return False
    return True


async def compare(client: Client, match: str, seat: int, chance: random.Random) -> Message:
    """Narrows the list towards an action by chance; that action."""
    listed = await client.list_actions(match, seat)
    chosen = chance.choice(listed)
    for partial in steps(chosen.action):
        narrowed = await client.list_actions(match, seat, partial=partial)
        assert narrowed == [legal for legal in listed if agrees(partial, legal.action)]
        assert chosen in narrowed
    return chosen.action


@pytest.mark.parametrize("name", GAMES)
async def test_a_list_is_narrowed_step_by_step(platform: Platform, name: str) -> None:
    chance = random.Random(name)
    async with guests(platform, 1) as (anna,):
        count = (await anna.game(name)).about.default_seats
        options = Options(max_seats=count, several_seats_each=Options.SEVERAL_SEATS_ALLOWED)
        seats = [pb.SeatRequest(seat=seat) for seat in range(count)]
        match = (await anna.create(name, options=options, seats=seats)).name
        for _ in range(POSITIONS):
            status = (await anna.get(match)).status
            if not status.may_act:  # over already
                break
            seat = chance.choice(list(status.turn) or list(status.may_act))
            await anna.play(match, await compare(anna, match, seat, chance), seat=seat)


async def test_a_partial_action_of_another_game_is_refused(platform: Platform) -> None:
    async with guests(platform, 1) as (anna,):
        match = await anna.create("ruhe", options=Options(max_seats=1), seats=[pb.SeatRequest(seat=0)])
        with pytest.raises(ArgosyError) as refused:
            await anna.list_actions(match.name, partial=(await anna.game("sirenen")).Action())
        assert refused.value.name == "MALFORMED_ACTION"
