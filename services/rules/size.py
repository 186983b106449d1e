"""The platform's limits on what a decision may leave behind (CHAIN.md, "Limits")."""

from collections.abc import Sequence

from services.rules.loading import Loaded
from services.rules.views import redactor_of

LARGEST_STATE = 256 * 1024
LARGEST_ENTRY = 16 * 1024
_AROUND_EVENTS = 1024  # the rest of an entry: action, draws, digests, times
_SMALL = 1024  # events of this many bytes fit for any number of seats below 14


def fits_state(state: bytes) -> bool:
    """Whether a snapshot may hold the state."""
    return len(state) <= LARGEST_STATE


def fits_entry(game: Loaded, events: Sequence[bytes]) -> bool:
    """Whether an entry with these events stays below its limit.

    An entry holds the events once for everybody, once for the server, and whole once more for each seat that sees
    more of one of them.
    """
    size = sum(map(len, events))
    if size <= _SMALL:
        return True
    redactor = redactor_of(game.event.message)
    splits = [redactor.split(event, game.module.DESCRIPTION.max_seats) for event in events]
    seats = {seat for _, more in splits for seat in more}
    public = sum(len(part) for part, _ in splits)
    own = sum(len(more.get(seat, part)) for seat in seats for part, more in splits)
    return size + public + own + _AROUND_EVENTS <= LARGEST_ENTRY
