"""A match as the library knows it: a fold of the public parts of its history.

No rules service is needed for it, and nothing hidden is in it.
"""

from dataclasses import dataclass, field

from argosy.v1 import entry_pb2
from google.protobuf.message import DecodeError

from services.kit import parts
from services.kit.log import ids
from services.kit.log.entries import Entry
from services.match.table import Phase

Options = entry_pb2.MatchOptions
_NO_RESULT = (entry_pb2.End.OUTCOME_ABORTED, entry_pb2.End.OUTCOME_VOIDED)


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat that is taken: 16 bytes of its player (zero for a bot of the platform) and the bot's policy or ""."""

    player: bytes
    bot_policy: str = ""


@dataclass(slots=True)
class Summary:
    """One match. `held` has the most seats that it allows; times are milliseconds since 1970 UTC, 0 for none."""

    match: bytes
    version: int = 0
    digest: bytes = b""
    game: str = ""
    rules_version: str = ""
    settings: bytes = b""
    options: Options = field(default_factory=Options)
    creator: bytes = ids.ZERO
    held: list[Seat | None] = field(default_factory=list)
    seats: int = 0  # of the started match; 0 before
    phase: Phase = Phase.OPEN
    create_ms: int = 0
    update_ms: int = 0
    end_ms: int = 0
    end: entry_pb2.End | None = None
    is_quarantined: bool = False
    is_archived: bool = False
    is_retired: bool = False
    is_logged: bool = False
    is_disclosed: bool = False  # by a host; known of a history that is shown, not of one in a list
    ruling: bytes = b""  # the argosy.v1.Ruling by which it counts, where one changes that; known of one in a list
    rulings: int = 0

    @property
    def text(self) -> str:
        """The id as clients write it."""
        return ids.to_text(self.match)

    @property
    def is_over(self) -> bool:
        """Whether its last entry is recorded."""
        return self.phase in (Phase.ENDED, Phase.ABORTED)

    def seats_of(self, player: bytes) -> tuple[int, ...]:
        """The seats that the player holds, ascending."""
        return tuple(i for i, seat in enumerate(self.held) if seat is not None and seat.player == player)


def fold(summary: Summary, entry: Entry) -> None:
    """Folds the next entry into the summary. Raises BadEntry for one that does not fit."""
    part = public_part(entry)
    if entry.version != summary.version + 1 or part.version != entry.version:
        raise parts.BadEntry(f"version {entry.version} follows {summary.version}")
    if (entry.version == 1) != part.cause.HasField("created"):
        raise parts.BadEntry("a match is created by its first entry")
    _fold_cause(summary, part)
    summary.version, summary.digest, summary.update_ms = entry.version, entry.digest, part.record_time_ms
    if part.HasField("start"):
        summary.seats, summary.phase = part.start.seats, Phase.ACTIVE
    if part.HasField("end"):
        summary.end, summary.end_ms = part.end, part.record_time_ms
        summary.phase = Phase.ABORTED if part.end.outcome in _NO_RESULT else Phase.ENDED


def public_part(entry: Entry) -> entry_pb2.EntryPart:
    """What everybody may see of a stored entry. Raises BadEntry where it cannot be parsed."""
    sealed = parts.opened(entry.version, entry.digest, entry.body)
    try:
        return entry_pb2.EntryPart.FromString(sealed.public_part)
    except DecodeError:
        raise parts.BadEntry("the public part cannot be parsed") from None


def _fold_cause(summary: Summary, part: entry_pb2.EntryPart) -> None:
    cause = part.cause
    match cause.WhichOneof("kind") if part.HasField("cause") else None:
        case "created":
            _create(summary, cause.created)
            summary.create_ms = part.record_time_ms
        case "seats_taken":
            _take(summary, cause.seats_taken)
        case "seat_left":
            _seat(summary, cause.seat_left.seat, None)
        case _:
            pass  # an end speaks for itself; nothing else concerns the library


def _create(summary: Summary, created: entry_pb2.PlatformEvent.Created) -> None:
    if created.match != summary.match:
        raise parts.BadEntry("entry 1 is of another match")
    summary.game, summary.rules_version, summary.settings = created.game, created.rules_version, created.settings
    summary.options, summary.creator = created.options, created.creator
    summary.held = [None] * created.options.max_seats
    _take(summary, created.seats_taken)


def _take(summary: Summary, taken: entry_pb2.PlatformEvent.SeatsTaken) -> None:
    for seat in taken.seats:
        _seat(summary, seat.seat, Seat(seat.player, seat.bot_policy))


def _seat(summary: Summary, number: int, seat: Seat | None) -> None:
    if not 0 <= number < len(summary.held):
        raise parts.BadEntry(f"there is no seat {number}")
    summary.held[number] = seat
