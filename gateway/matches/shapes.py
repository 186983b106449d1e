"""Matches and entries in the shapes of the public API."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2, match_service_pb2
from google.protobuf.any_pb2 import Any as AnyMessage

from services.kit import parts, wire
from services.kit.log import ids
from services.match.games import packed, packed_bytes
from services.match.late import Stand
from services.match.table import Held, Phase, Table, Update
from services.match.viewers import Viewer, is_open

Match = match_service_pb2.Match


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a caller wants beside each entry: the request's Wanted, as something that can be compared."""

    position: bool = False
    actions: bool = False
    events: bool = False
    labels: bool = False


def wanted_by(request: match_service_pb2.Wanted) -> Wanted:
    """What a request wants."""
    return Wanted(request.position, request.actions, request.events, request.labels)


def match_for(
    table: Table,
    viewer: Viewer,
    own: Sequence[int],
    names: Mapping[bytes, str],
    said: rules_v1.FoldEventsResponse | None,
) -> match_service_pb2.Match:
    """The match as the viewer may see it, with what the rules say of it; a whole position is redacted here."""
    about, created = table.game.description, table.created
    match = Match(
        name=f"matches/{table.text}",
        game=f"games/{created.game}",
        rules_version=created.rules_version,
        settings=packed(about.settings_type, created.settings),
        options=created.options,
        seats=[_seat(held, names) for held in (table.held[: table.seats] if table.seats else table.held)],
        state=Match.STATE_FROZEN if table.is_frozen else table.phase.value,
        head=head_of(table),
        own_seats=own,
        sealed_parts=created.sealed_parts,
        viewer=viewer.seat,
    )
    match.create_time.FromMilliseconds(table.create_time_ms)
    match.update_time.FromMilliseconds(table.record_time_ms)
    if table.status is not None:
        match.status.CopyFrom(status_of(table.status))
    if table.end is not None:
        match.end.CopyFrom(table.end)
    if said is not None and said.HasField("position"):
        match.position.CopyFrom(redacted(table, viewer, said.position))
    for found in said.actions if said is not None else ():
        if found.seat == viewer.seat:
            match.actions.extend(legal_actions(table, found))
            match.actions_truncated = found.truncated
    if is_open(table, int(time.time() * 1000)):
        match.seed = table.seed
    return match


def late_match_for(
    table: Table, viewer: Viewer, names: Mapping[bytes, str], stand: Stand, said: rules_v1.FoldEventsResponse | None
) -> match_service_pb2.Match:
    """The match as it stood, for a spectator who is shown it late, with what the rules say of it then."""
    match = match_for(table, viewer, (), names, said)
    match.head.version, match.head.digest = stand.version, stand.digest
    match.update_time.FromMilliseconds(stand.record_time_ms)
    match.ClearField("status")
    if said is not None:
        match.status.CopyFrom(status_of(said.status))
    if not stand.seats and table.phase is Phase.ACTIVE:
        match.state = Match.STATE_OPEN
    return match


def update_for(table: Table, viewer: Viewer, wanted: Wanted, update: Update) -> bytes:
    """An EntryUpdate as the viewer receives it, serialized, with what it wants beside."""
    key = (viewer.seats, viewer.seat, wanted)
    return update.once(key, lambda: _update(table, viewer, wanted, update))


def _update(table: Table, viewer: Viewer, wanted: Wanted, update: Update) -> bytes:
    """Its fields in order, those that viewers share made once."""
    said, seats = update.decision, viewer.seats
    fields = [wire.delimited(1, update.once(seats, lambda: _seen(table, update, seats)))]
    if said is not None:
        fields.append(update.once("status", lambda: wire.delimited(2, status_of(said.status).SerializeToString())))
        if wanted.position and said.HasField("position"):
            position = update.once(
                ("position", viewer.opens), lambda: _redacted_bytes(table, viewer.opens, said.position)
            )
            fields.append(wire.delimited(3, position))
        if wanted.actions:
            fields += _actions(table, viewer, wanted, said.actions)
    if wanted.events:
        fields.append(update.once(("events", seats), lambda: _events(table, update, seats)))
    return b"".join(fields)


def _seen(table: Table, update: Update, seats: tuple[int, ...]) -> bytes:
    return parts.seen_bytes(update.entry, table.seed, seats)


def status_of(status: rules_v1.Status) -> match_service_pb2.Status:
    """Who may act."""
    return match_service_pb2.Status(turn=status.turn, may_act=status.may_act)


def head_of(table: Table) -> match_service_pb2.Head:
    """Version and digest of the last entry."""
    return match_service_pb2.Head(version=table.version, digest=table.digest)


def redacted(table: Table, viewer: Viewer, position: bytes) -> AnyMessage:
    """A whole position as the viewer may see it."""
    return AnyMessage.FromString(_redacted_bytes(table, viewer.opens, position))


def _redacted_bytes(table: Table, opens: frozenset[int], position: bytes) -> bytes:
    seen = table.game.position_redactor.view(position, opens)
    return packed_bytes(table.game.description.position_type, seen)


def legal_actions(table: Table, found: rules_v1.SeatActions) -> list[match_service_pb2.LegalAction]:
    """Legal actions with their labels."""
    kind = table.game.description.action_type
    return [match_service_pb2.LegalAction(action=packed(kind, item.action), label=item.label) for item in found.actions]


def _actions(table: Table, viewer: Viewer, wanted: Wanted, found: Sequence[rules_v1.SeatActions]) -> Iterator[bytes]:
    """The fields actions and actions_truncated; labels only where wanted: another follower may have asked for them."""
    kind = table.game.description.action_type
    for listed in found:
        if listed.seat == viewer.seat:
            for item in listed.actions:
                action = wire.delimited(1, packed_bytes(kind, item.action))
                label = wire.delimited(2, item.label.encode()) if wanted.labels and item.label else b""
                yield wire.delimited(4, action + label)
            if listed.truncated:
                yield b"\x28\x01"  # field 5, true


def _events(table: Table, update: Update, seats: tuple[int, ...]) -> bytes:
    """The field events, as the viewer may see them: those of its own part where it has one, else the public ones."""
    sealed, kind = update.entry.sealed_parts, table.game.description.event_type
    own = next((sealed[seat] for seat in seats if seat < len(sealed) - 1 and sealed[seat]), update.entry.public_part)
    part = entry_pb2.EntryPart.FromString(own)
    return b"".join([wire.delimited(6, packed_bytes(kind, event)) for event in part.game_events])


def _seat(held: Held | None, names: Mapping[bytes, str]) -> match_service_pb2.Match.Seat:
    if held is None:
        return Match.Seat()
    return Match.Seat(
        player=f"players/{ids.to_text(held.player)}" if not held.bot_policy else "",
        display_name=names.get(held.player, "") or held.bot_policy,
        bot_policy=held.bot_policy,
        ready=held.is_ready,
    )
