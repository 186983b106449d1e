"""The table: one match as its history says, held in memory. A cache, never more.

`apply` folds one entry into it. What the game's rules know of the match is `state`, opaque, and the events since.
"""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2, match_service_pb2

from services.kit import chain, parts
from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.parts import Sealed
from services.match.games import GameEntry

PREFIX = 8
"""Bytes of each stored request id that a table keeps."""


class Phase(Enum):
    """Where a match is in its life; the values are those of `Match.State`."""

    OPEN = match_service_pb2.Match.STATE_OPEN
    ACTIVE = match_service_pb2.Match.STATE_ACTIVE
    ENDED = match_service_pb2.Match.STATE_ENDED
    ABORTED = match_service_pb2.Match.STATE_ABORTED


ENDED = (Phase.ENDED, Phase.ABORTED)


@dataclass(slots=True)
class Held:
    """A seat that somebody holds. `contribution` is 32 bytes or none."""

    player: bytes
    bot_policy: str
    contribution: bytes
    is_ready: bool


@dataclass(frozen=True, slots=True)
class Update:
    """An entry as it became part of the table.

    `decision` has what the rules said with it, where this process decided it or asked afterwards; None otherwise.
    `request_id` is the one that it answers, as sent; "" where it came from elsewhere.
    """

    entry: Sealed
    part: entry_pb2.EntryPart
    decision: rules_v1.Decision | None = None
    request_id: str = ""
    made: dict[Hashable, bytes] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """What `make` gives, made once for all who ask with this key: viewers alike receive the same bytes."""
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = make()
        return found


@dataclass(slots=True, eq=False)
class Listener:
    """Somebody who is told of every entry, in order; `wants_actions_of` are seats whose actions shall come along."""

    tell: Callable[[Update], None]
    wants_position: bool = False
    wants_actions_of: tuple[int, ...] = ()
    wants_labels: bool = False


@dataclass(slots=True, eq=False)
class Table:
    """One match. Lists of seats have the most seats the match allows; `prefixes` joins 8 bytes for each entry."""

    match: bytes
    text: str  # the id as clients write it
    game: GameEntry
    created: entry_pb2.PlatformEvent.Created
    seed: bytes
    seal: parts.Seal
    version: int = 0
    digest: bytes = b""
    create_time_ms: int = 0
    record_time_ms: int = 0
    held: list[Held | None] = field(default_factory=list)
    phase: Phase = Phase.OPEN
    seats: int = 0  # of the started match; 0 before
    key: bytes = b""
    decisions: int = 0
    state: bytes | None = None
    since: list[bytes] = field(default_factory=list)  # whole events after `state`
    status: rules_v1.Status | None = None
    end: entry_pb2.End | None = None
    prefixes: bytearray = field(default_factory=bytearray)
    due_ms: int = 0  # as last written; 0: not known
    is_frozen: bool = False
    is_disclosed: bool = False  # by a host, as far as this process was told
    is_followed: bool = False
    checked: float = 0.0  # when it was last seen to be the whole history; seconds of the event loop
    listeners: set[Listener] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def options(self) -> entry_pb2.MatchOptions:
        """The match's options, defaults filled in."""
        return self.created.options

    @property
    def creator(self) -> bytes:
        """Who created the match; zero bytes for matchmaking."""
        return self.created.creator

    def seats_of(self, player: bytes) -> tuple[int, ...]:
        """The seats that the player holds, ascending."""
        return tuple(i for i, held in enumerate(self.held) if held is not None and held.player == player)

    def versions_of(self, stored_request_id: bytes) -> list[int]:
        """Versions of entries that may carry this request id: look there. The platform's zero id is none."""
        prefix, found, at = stored_request_id[:PREFIX], list[int](), -1
        if stored_request_id == ids.ZERO:
            return found
        while (at := self.prefixes.find(prefix, at + 1)) >= 0:
            if at % PREFIX == 0:
                found.append(at // PREFIX + 1)
        return found

    def basis(self) -> rules_v1.Basis:
        """What the rules need to know the state: it, or how the match began, and the events since."""
        created = self.created
        basis = rules_v1.Basis(game=created.game, rules_version=created.rules_version, events=self.since)
        if self.state is None:
            basis.setup.settings, basis.setup.seats = created.settings, self.seats
        else:
            basis.state = self.state
        return basis

    def learn(self, state: bytes, status: rules_v1.Status) -> None:
        """Takes over what the rules say of the state after `version`."""
        self.state, self.since, self.status = state, [], status


def wanted_by_all(table: Table, wanted: rules_v1.Wanted | None = None) -> rules_v1.Wanted:
    """What the asker and all listeners want with the next state."""
    asker = wanted or rules_v1.Wanted()
    if not any(item.wants_position or item.wants_actions_of or item.wants_labels for item in table.listeners):
        return asker
    everything = rules_v1.Wanted(position=asker.position or any(item.wants_position for item in table.listeners))
    seats = {seat for item in table.listeners for seat in item.wants_actions_of}
    everything.actions_of.extend(sorted(seats | set(asker.actions_of)))
    everything.labels = asker.labels or any(item.wants_labels for item in table.listeners)
    return everything


def open_table(match: bytes, game: GameEntry, first: entry_pb2.EntryPart) -> Table:
    """The table of a match before entry 1, whose whole part is `first`."""
    created = first.cause.created
    seed, most = first.server.seed, created.options.max_seats
    seal = parts.Seal(match, seed, most, created.sealed_parts, game.event_redactor)
    held: list[Held | None] = [None] * most
    return Table(match, ids.to_text(match), game, created, seed, seal, digest=chain.first_digest(match), held=held)


def apply(table: Table, entry: Sealed, part: entry_pb2.EntryPart, stored_request_id: bytes) -> None:
    """Folds the next entry, whose whole part is `part`, into the table.

    Refuses RULES_UNAVAILABLE, and leaves the table as it is, where something beside the game changed the position: no
    kind that this build knows does so, and a gateway of the build that wrote it can go on with the match.
    """
    if part.cause.changes_position:
        created, text = table.created, "the match has an entry that only a newer build can read"
        facts = {"game": created.game, "rules_version": created.rules_version}
        raise Refused(Reason.ERROR_REASON_RULES_UNAVAILABLE, text, retry_s=1.0, **facts)
    table.version, table.digest, table.record_time_ms = entry.version, entry.digest, part.record_time_ms
    table.prefixes += stored_request_id[:PREFIX]
    _apply_cause(table, part)
    if part.HasField("start"):
        table.seats, table.phase = part.start.seats, Phase.ACTIVE
        given = (held.contribution if held else b"" for held in table.held[: table.seats])
        table.key = chain.match_key(table.seed, given)
    if part.game_events:
        table.since.extend(part.game_events)
        table.status = None
    if part.server.HasField("decision"):
        table.decisions += 1
    if part.HasField("end"):
        table.end = part.end
        is_void = part.end.outcome in (entry_pb2.End.OUTCOME_ABORTED, entry_pb2.End.OUTCOME_VOIDED)
        table.phase = Phase.ABORTED if is_void else Phase.ENDED


def _apply_cause(table: Table, part: entry_pb2.EntryPart) -> None:
    if not part.HasField("cause"):
        return
    cause = part.cause
    match cause.WhichOneof("kind"):
        case "created":
            table.create_time_ms = part.record_time_ms
            _take(table, cause.created.seats_taken.seats)
        case "seats_taken":
            _take(table, cause.seats_taken.seats)
        case "seat_left":
            table.held[cause.seat_left.seat] = None
        case "seat_readied":
            _ready(table, cause.seat_readied)
        case _:
            pass  # an end speaks for itself; a kind from a newer build does not concern seats


def _take(table: Table, taken: Sequence[entry_pb2.PlatformEvent.SeatsTaken.Taken]) -> None:
    for seat in taken:
        table.held[seat.seat] = held_of(table, seat)


def held_of(table: Table, taken: entry_pb2.PlatformEvent.SeatsTaken.Taken) -> Held:
    """The seat as it is held once taken: ready at once for bots, and where its bytes came along or nobody asks."""
    by_joining = table.options.ready_required and bool(taken.contribution)
    is_ready = bool(taken.bot_policy) or by_joining or not needs_ready(table.options)
    return Held(taken.player, taken.bot_policy, taken.contribution, is_ready)


def needs_ready(options: entry_pb2.MatchOptions) -> bool:
    """Whether seats must say that they are ready: in matches made from tickets, or to start with fewer than most."""
    return options.ready_required or options.min_seats < options.max_seats


def _ready(table: Table, readied: entry_pb2.PlatformEvent.SeatReadied) -> None:
    if readied.seat < 0:
        for held in table.held:
            if held is not None:
                held.is_ready = True
        return
    held = table.held[readied.seat]
    if held is not None:
        held.is_ready, held.contribution = True, readied.contribution or held.contribution
