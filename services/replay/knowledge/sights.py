"""What viewers of a match were sent: events in its entries, and the positions that they could ask for after each."""

from collections.abc import AsyncIterator, Iterator

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2
from argosy.v1 import knowledge_pb2 as pb
from google.protobuf.message import Message

from services.kit import parts
from services.kit.errors import invalid
from services.kit.log.entries import Entry
from services.match import deciding
from services.match.games import GameEntry
from services.replay.histories import Story
from services.replay.knowledge.fields import EVENT, POSITION, Value, Wanted, is_in, values, wanted_of

_DEADLINE_S = 30.0


async def find_first_sight(
    story: Story, game: GameEntry, request: pb.FindFirstSightRequest
) -> pb.FindFirstSightResponse:
    """The first version at which a viewer was sent a value."""
    seat = request.seat if request.HasField("seat") else None
    wanted, told = wanted_of(game, request), pb.FindFirstSightResponse(last_version=len(story.entries))
    if seat is not None and not 0 <= seat < (story.summary.seats or len(story.summary.held)):
        raise invalid("seat", "is none of this match")
    found = _first_in_events(story, game, wanted, seat) if is_in(wanted, game, EVENT) else None
    if is_in(wanted, game, POSITION):
        last = found[0] - 1 if found else len(story.entries)
        found = await _first_in_positions(story, game, wanted, seat, last) or found
    if found is not None:
        told.version, told.path = found[0], found[1].name
    return told


def sights_of(story: Story, game: GameEntry, version: int) -> Iterator[pb.Sight]:
    """Every value in the events of one entry, and to whom it was sent."""
    if not 1 <= version <= len(story.entries):
        raise invalid("version", f"is from 1 to {len(story.entries)}")
    entry = story.entries[version - 1]
    seats = range(story.summary.seats or len(story.summary.held))
    sent = {seat: _events(entry, game, seat) for seat in (None, *seats)}
    for number, event in enumerate(_whole(entry, game)):
        named = {seat: {value.name for value in values(events[number], EVENT)} for seat, events in sent.items()}
        for value in values(event, EVENT):
            yield pb.Sight(
                event=number,
                path=value.name,
                value=value.text,
                everybody=value.name in named[None],
                seats=[seat for seat in seats if value.name in named[seat]],
            )


def _first_in_events(story: Story, game: GameEntry, wanted: Wanted, seat: int | None) -> tuple[int, Value] | None:
    for entry in story.entries:
        for event in _events(entry, game, seat):
            for value in values(event, EVENT):
                if wanted.is_met(value):
                    return entry.version, value
    return None


async def _first_in_positions(
    story: Story, game: GameEntry, wanted: Wanted, seat: int | None, last: int
) -> tuple[int, Value] | None:
    """In a position after an entry up to this one."""
    opens = frozenset[int]() if seat is None else frozenset((seat,))
    async for version, position in _positions(story, game):
        if version > last:
            return None
        view = game.position_redactor.view(position, opens)
        for value in values(game.position_class.FromString(view), POSITION):
            if wanted.is_met(value):
                return version, value
    return None


async def _positions(story: Story, game: GameEntry) -> AsyncIterator[tuple[int, bytes]]:
    """The whole position after each entry from the start on, each folded onto the one before."""
    about, position = story.summary, b""
    basis = rules_v1.Basis(game=about.game, rules_version=about.rules_version)
    for entry in story.entries:
        whole = parts.server_part(parts.opened(entry.version, entry.digest, entry.body))
        if whole.HasField("start"):
            basis.setup.settings, basis.setup.seats = about.settings, whole.start.seats
        if basis.WhichOneof("start") is None:
            continue
        if whole.game_events or not position:
            basis.events[:] = whole.game_events
            folded = await _folded(game, basis)
            basis.state, position = folded.state, folded.position
        yield entry.version, position


async def _folded(game: GameEntry, basis: rules_v1.Basis) -> rules_v1.FoldEventsResponse:
    request = rules_v1.FoldEventsRequest(basis=basis, wanted=rules_v1.Wanted(position=True))
    try:
        return await game.stub.FoldEvents(request, timeout=_DEADLINE_S)
    except grpc.aio.AioRpcError as error:
        raise deciding.unavailable(game, error) from None


def _events(entry: Entry, game: GameEntry, seat: int | None) -> list[Message]:
    """The entry's events as this seat, or a spectator, was sent them."""
    sealed = parts.opened(entry.version, entry.digest, entry.body)
    own = sealed.sealed_parts[seat] if seat is not None and seat < len(sealed.sealed_parts) - 1 else b""
    part = entry_pb2.EntryPart.FromString(own or sealed.public_part)
    return [game.event_class.FromString(event) for event in part.game_events]


def _whole(entry: Entry, game: GameEntry) -> list[Message]:
    whole = parts.server_part(parts.opened(entry.version, entry.digest, entry.body))
    return [game.event_class.FromString(event) for event in whole.game_events]
