"""Who looks at a match, and what they may see of it."""

from dataclasses import dataclass

from argosy.v1 import entry_pb2

from services.kit.errors import Reason, Refused, not_found
from services.match.table import Table
from services.match.tables import ENDED

Options = entry_pb2.MatchOptions


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


def viewer_of(table: Table, player: bytes, seat: int | None) -> Viewer:
    """The viewer that this player is: in the seat named, in all of its own, or a spectator where those may look.

    Refuses NOT_SEATED for a seat that is not the player's, NOT_FOUND where spectators may not look.
    """
    own = table.seats_of(player)
    if seat is not None:
        if seat not in own:
            _require_sight(table, own, player)
            text = "that seat is not yours"
            raise Refused(Reason.ERROR_REASON_NOT_SEATED, text, match=f"matches/{table.text}")
        return Viewer((seat,), seat)
    if own:
        return Viewer(own, own[0])
    _require_sight(table, own, player)
    options = table.options
    if options.spectators == Options.SPECTATORS_DELAYED and table.phase not in ENDED:
        return Viewer(delay_versions=options.delay_versions, delay_s=options.delay_seconds)
    return Viewer()


def is_open(table: Table, now_ms: int) -> bool:
    """Whether the match's seed, and with it everything that was hidden, may be shown to who may see the match."""
    if table.phase not in ENDED:
        return False
    match table.options.disclosure:
        case Options.DISCLOSURE_AT_END:
            return True
        case Options.DISCLOSURE_AT_TIME:
            return now_ms >= table.options.disclosure_time_ms
        case _:
            return False


def _require_sight(table: Table, own: tuple[int, ...], player: bytes) -> None:
    """A match that is open to join is seen by whoever knows its name; later only where spectators may look."""
    may_join = not table.seats and table.phase not in ENDED
    is_creator = player == table.created.creator
    if not (own or may_join or is_creator) and table.options.spectators == Options.SPECTATORS_NONE:
        raise not_found(f"matches/{table.text}")
