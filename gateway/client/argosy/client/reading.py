"""Messages of the wire as typed updates."""

from collections.abc import Iterable

from argosy.client.errors import diverged, unknown
from argosy.client.games import Game
from argosy.client.updates import LegalAction, Status, Update
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet


def widest_part(entry: match_pb2.Entry) -> entry_pb2.EntryPart:
    """The part of the lowest own seat that sees more than everybody, else the public one; not checked."""
    own = [p.part for p in entry.own if p.part]
    return entry_pb2.EntryPart.FromString(own[0] if own else entry.public_part)


def read_update(match: str, game: Game, told: match_pb2.EntryUpdate, part: entry_pb2.EntryPart) -> Update:
    """The entry and what came beside it.

    Raises HistoryDiverged when a message of the game cannot be read, UnknownEvent for an event of an unknown kind.
    """
    entry = told.entry
    try:
        events = tuple(game.Event.FromString(event) for event in part.game_events)
        if any(len(UnknownFieldSet(event)) for event in events):
            raise unknown(match, entry.version)
        return Update(
            match=match,
            version=entry.version,
            digest=entry.digest,
            part=part,
            events=events,
            status=_status(told.status) if told.HasField("status") else None,
            position=game.unpack(told.position) if told.HasField("position") else None,
            actions=read_actions(game, told.actions) if told.HasField("status") else None,
            actions_truncated=told.actions_truncated,
            entry=entry,
        )
    except DecodeError:
        raise diverged(match, entry.version, "a message of the game cannot be read") from None


def read_match(match: str, game: Game, found: match_pb2.Match) -> Update:
    """Where a match stands, as an update without an entry."""
    return Update(
        match=match,
        version=found.head.version,
        digest=found.head.digest,
        part=None,
        status=_status(found.status),
        position=game.unpack(found.position) if found.HasField("position") else None,
        actions=read_actions(game, found.actions) or None,
        actions_truncated=found.actions_truncated,
        snapshot=found,
    )


def read_actions(game: Game, actions: Iterable[match_pb2.LegalAction]) -> tuple[LegalAction, ...]:
    """Legal actions with their messages unpacked, in the order in which they came."""
    return tuple(LegalAction(game.unpack(a.action), a.label) for a in actions)


def _status(status: match_pb2.Status) -> Status:
    return Status(tuple(status.turn), tuple(status.may_act))
