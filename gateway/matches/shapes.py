"""Matches and entries in the shapes of the public API."""

import time
from collections.abc import Mapping, Sequence

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2, match_service_pb2
from google.protobuf.any_pb2 import Any as AnyMessage

from services.kit.log import ids
from services.match.games import packed
from services.match.table import Held, Table, Update
from services.match.viewers import Viewer, is_open

Match = match_service_pb2.Match


def match_for(
    table: Table, viewer: Viewer, own: Sequence[int], names: Mapping[bytes, str], position: bytes | None
) -> match_service_pb2.Match:
    """The match as the viewer may see it. `position` is whole; it is redacted here."""
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
    if position is not None:
        match.position.CopyFrom(redacted(table, viewer, position))
    if is_open(table, int(time.time() * 1000)):
        match.seed = table.seed
    return match


def update_for(
    table: Table, viewer: Viewer, wanted: match_service_pb2.Wanted, update: Update
) -> match_service_pb2.EntryUpdate:
    """An entry as the viewer receives it, with what it wants beside."""
    entry = update.seen_by(table.seed, viewer.seats)
    said, shape = update.decision, match_service_pb2.EntryUpdate(entry=entry)
    if said is not None:
        shape.status.CopyFrom(status_of(said.status))
        if wanted.position and said.HasField("position"):
            shape.position.CopyFrom(redacted(table, viewer, said.position))
        if wanted.actions:
            _add_actions(table, viewer, shape, said.actions)
            if not wanted.labels:  # another follower of the match may want them
                for action in shape.actions:
                    action.label = ""
    if wanted.events:
        shape.events.extend(_events(table, entry))
    return shape


def status_of(status: rules_v1.Status) -> match_service_pb2.Status:
    """Who may act."""
    return match_service_pb2.Status(turn=status.turn, may_act=status.may_act)


def head_of(table: Table) -> match_service_pb2.Head:
    """Version and digest of the last entry."""
    return match_service_pb2.Head(version=table.version, digest=table.digest)


def redacted(table: Table, viewer: Viewer, position: bytes) -> AnyMessage:
    """A whole position as the viewer may see it."""
    seen = table.game.position_redactor.view(position, viewer.opens)
    return packed(table.game.description.position_type, seen)


def legal_actions(table: Table, found: rules_v1.SeatActions) -> list[match_service_pb2.LegalAction]:
    """Legal actions with their labels."""
    kind = table.game.description.action_type
    return [match_service_pb2.LegalAction(action=packed(kind, item.action), label=item.label) for item in found.actions]


def _add_actions(
    table: Table, viewer: Viewer, shape: match_service_pb2.EntryUpdate, found: Sequence[rules_v1.SeatActions]
) -> None:
    for actions in found:
        if actions.seat == viewer.seat:
            shape.actions.extend(legal_actions(table, actions))
            shape.actions_truncated = actions.truncated


def _events(table: Table, entry: match_service_pb2.Entry) -> list[AnyMessage]:
    """The game events that the viewer may see: those of its own part where it has one, else the public ones."""
    own = next((sealed.part for sealed in entry.own if sealed.part), entry.public_part)
    part = entry_pb2.EntryPart.FromString(own)
    return [packed(table.game.description.event_type, event) for event in part.game_events]


def _seat(held: Held | None, names: Mapping[bytes, str]) -> match_service_pb2.Match.Seat:
    if held is None:
        return Match.Seat()
    return Match.Seat(
        player=f"players/{ids.to_text(held.player)}" if not held.bot_policy else "",
        display_name=names.get(held.player, "") or held.bot_policy,
        bot_policy=held.bot_policy,
        ready=held.is_ready,
    )
