"""What a seat may not see reaches it by no way, in any game that hides something: checked against whole histories.

What a viewer received is compared with what it would have received in a *world* that it cannot tell apart: another
state, with other hidden values. A hidden value anywhere in it would differ.
"""

import asyncio
import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from argosy.client import Client, Update
from argosy.client.errors import ArgosyError
from argosy.v1 import audience_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.kit import parts
from services.kit.draws import SeededDraws
from services.kit.log.entries import Entry
from services.kit.redaction import Redactor
from services.rules.conform.worlds import tells
from services.rules.loading import Loaded, list_games, load
from tests.faults.oracles import audited
from tests.integration.players import play, seated_match
from tests.platform import run_platform

SEATS = {"ruhe": 3}
HIDING = [game for game in list_games() if load(game).module.DESCRIPTION.has_hidden_information]
RUHE_CARD = re.compile(r"\b(I[0-8][0-9]|[SFM][1-5])\b")


@pytest.mark.parametrize("game", HIDING)
async def test_what_is_received_tells_nothing_hidden(game: str) -> None:
    async with run_platform([game]) as platform, contextlib.AsyncExitStack() as stack:
        *clients, eve = [
            await stack.enter_async_context(Client.connect(platform.address, guest=f"H{i}"))
            for i in range(SEATS.get(game, 2) + 1)
        ]
        match = await seated_match(clients, game)
        failures = list[str]()
        players = [play_and_provoke(c, eve, match, seat, failures) for seat, c in enumerate(clients)]
        received: list[Sequence[Update]] = list(await asyncio.wait_for(asyncio.gather(*players), 90))
        received.append([update async for update in eve.follow(match, position=True)])
        (entries,) = (await audited(platform, game, [match])).values()
        logs = platform.logs()
    loaded = load(game)
    states = list(folded(loaded, entries))
    made_of = type(next(event for update in received[0] for event in update.events))
    assert any(list(unseen_in(made_of.FromString(event), None)) for event in whole_events(entries)), "nothing is hidden"
    compared = skipped = 0
    for viewer, updates in zip((*range(len(clients)), None), received, strict=True):
        for update in updates:
            for message in (*update.events, *([update.position] if update.position else [])):
                assert not list(unseen_in(message, viewer)), f"version {update.version}, viewer {viewer}"
            state = states[update.version - 1]
            if update.position is None or state is None:
                continue
            world = next(loaded.module.worlds(state, viewer, SeededDraws(update.digest)))
            if tells(loaded, world) != tells(loaded, state):
                skipped += 1
                continue
            compared += 1
            is_same = received_as(update) == shown_of(loaded, world, viewer, update)
            assert is_same, f"version {update.version}: viewer {viewer} can tell a hidden value"
    assert compared > 10
    assert skipped * 9 <= compared
    assert failures
    assert not RUHE_CARD.findall(logs + " ".join(failures))


async def play_and_provoke(client: Client, eve: Client, match: str, seat: int, failures: list[str]) -> list[Update]:
    """Plays a seat; then it and a stranger ask for what they must not do, and the refusals are kept."""
    updates = await play(client, match, seat, seed=5, stream=bool(seat % 2))
    action = next(legal.action for update in updates for legal in update.actions or ())
    for caller in (client, eve):
        try:
            await caller.play(match, action, seat=seat)
        except ArgosyError as error:
            failures.append(f"{error} {error.metadata}")
    return updates


def whole_events(entries: Sequence[Entry]) -> Iterator[bytes]:
    """All events with all that is in them, as only the platform has them."""
    for entry in entries:
        yield from parts.server_part(parts.opened(entry.version, entry.digest, entry.body)).game_events


def folded(game: Loaded, entries: Sequence[Entry]) -> Iterator[Any]:
    """The state after each entry; None before the start."""
    state, waiting = None, None
    for entry in entries:
        part = parts.server_part(parts.opened(entry.version, entry.digest, entry.body))
        if part.cause.HasField("created"):
            waiting = part.cause.created
        if part.HasField("start") and waiting is not None:
            settings = game.settings.from_bytes(waiting.settings)
            state = game.module.initial(settings, waiting.options.max_seats)
        for event in part.game_events:
            state = game.module.evolve(state, game.event.from_bytes(event))
        yield state


def received_as(update: Update) -> tuple[bytes, list[bytes]]:
    """Position and actions as they came."""
    assert update.position is not None
    actions = [legal.action.SerializeToString(deterministic=True) for legal in update.actions or ()]
    return update.position.SerializeToString(deterministic=True), actions


def shown_of(game: Loaded, world: Any, viewer: int | None, update: Update) -> tuple[bytes, list[bytes]]:
    """Position and actions as the viewer would have got them in that world."""
    seats = frozenset[int]() if viewer is None else frozenset((viewer,))
    position = game.module.position(world)
    shown = Redactor(type(game.position.encode(position))).view(game.position.to_bytes(position), seats)
    listed = () if viewer is None or update.actions is None else game.module.actions(world, viewer)
    actions = [game.action.to_bytes(action) for action in listed]
    return shown, actions[: len(update.actions or ())] if update.actions_truncated else actions


def unseen_in(message: Message, viewer: int | None) -> Iterator[str]:
    """Fields that this viewer should not have, by the options of the protos; the redactor has no part in this."""
    for field, value in message.ListFields():
        options = field.GetOptions().Extensions
        audience = options[audience_pb2.audience]
        is_own = viewer is not None and viewer in _named(message)
        if audience == audience_pb2.AUDIENCE_SERVER or (audience == audience_pb2.AUDIENCE_SEATS and not is_own):
            yield field.full_name
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                yield from unseen_in(inner, viewer)


def _named(message: Message) -> list[int]:
    """The seats named by the field beside the hidden ones."""
    for field in message.DESCRIPTOR.fields:
        if field.GetOptions().Extensions[audience_pb2.seen_by]:
            value = getattr(message, field.name)
            return list(value) if field.is_repeated else [value] if message.HasField(field.name) else []
    return []
