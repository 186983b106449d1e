"""Who looks at a match, and what they may see of it: one rule for live and replayed matches."""

from dataclasses import dataclass
from typing import Protocol

from argosy.v1 import entry_pb2

from services.kit.errors import Reason, Refused, not_found
from services.match.table import ENDED, Phase

Options = entry_pb2.MatchOptions


class Seen(Protocol):
    """What the rule needs to know of a match: a table has it, and a summary of a history."""

    @property
    def text(self) -> str:
        """The id as clients write it."""

    @property
    def version(self) -> int:
        """Number of the last entry."""

    @property
    def phase(self) -> Phase:
        """Where the match is in its life."""

    @property
    def seats(self) -> int:
        """Number of seats of the started match; 0 before."""

    @property
    def options(self) -> Options:
        """The match's options, defaults filled in."""

    @property
    def creator(self) -> bytes:
        """Who created it."""

    @property
    def is_disclosed(self) -> bool:
        """Whether a host has disclosed it, where that is the host's to do."""

    def seats_of(self, player: bytes) -> tuple[int, ...]:
        """The seats that the player holds, ascending."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who looks: the seats whose parts are opened to it, and the seat for which positions are redacted.

    A spectator has neither. `delay_versions` and `delay_s` hold back what it sees of a match that goes on.
    """

    seats: tuple[int, ...] = ()
    seat: int | None = None
    delay_versions: int = 0
    delay_s: int = 0

    @property
    def is_delayed(self) -> bool:
        """Whether entries are held back."""
        return bool(self.delay_versions or self.delay_s)

    @property
    def opens(self) -> frozenset[int]:
        """The seats for which positions are opened."""
        return frozenset(()) if self.seat is None else frozenset((self.seat,))


def viewer_of(match: Seen, player: bytes, seat: int | None) -> Viewer:
    """The viewer that this player is: in the seat named, in all of its own, or a spectator where those may look.

    Refuses NOT_SEATED for a seat that is not the player's, NOT_FOUND where spectators may not look.
    """
    own = match.seats_of(player)
    if seat is not None:
        if seat not in own:
            require_sight(match, player)
            text = "that seat is not yours"
            raise Refused(Reason.ERROR_REASON_NOT_SEATED, text, match=f"matches/{match.text}")
        return Viewer((seat,), seat)
    if own:
        return Viewer(own, own[0])
    require_sight(match, player)
    options = match.options
    if options.spectators == Options.SPECTATORS_DELAYED and match.phase not in ENDED:
        return Viewer(delay_versions=options.delay_versions, delay_s=options.delay_seconds)
    return Viewer()


def is_open(match: Seen, now_ms: int) -> bool:
    """Whether the match's seed, and with it everything that was hidden, may be shown to who may see the match."""
    if match.phase not in ENDED:
        return False
    match match.options.disclosure:
        case Options.DISCLOSURE_AT_END:
            return True
        case Options.DISCLOSURE_AT_TIME:
            return now_ms >= match.options.disclosure_time_ms
        case Options.DISCLOSURE_BY_HOST:
            return match.is_disclosed
        case _:
            return False


def may_have(match: Seen, viewer: Viewer, part: entry_pb2.EntryPart, now_ms: float) -> bool:
    """Whether a spectator who is shown the match late may have this entry already; everybody else may."""
    if not viewer.is_delayed or match.phase in ENDED:
        return True
    is_old = now_ms >= part.record_time_ms + viewer.delay_s * 1000
    return is_old and part.version <= match.version - viewer.delay_versions


def require_sight(match: Seen, player: bytes) -> None:
    """Refuses NOT_FOUND to who may not know that the match is there.

    A match that is open to join is seen by whoever knows its name; later only where spectators may look.
    """
    own = match.seats_of(player)
    may_join = not match.seats and match.phase not in ENDED
    is_creator = player == match.creator
    if not (own or may_join or is_creator) and match.options.spectators == Options.SPECTATORS_NONE:
        raise not_found(f"matches/{match.text}")
