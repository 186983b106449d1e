"""Points and the end of a match (SPEC 9)."""

from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import (
    FLEETS,
    NOWHERE,
    Edition,
    EndReason,
    Result,
    State,
    is_merchant,
    seat_of,
)

MERCHANT_SHIPS = tuple(ship for fleet in FLEETS for ship in fleet if is_merchant(ship))


def points_of(rank: int) -> int:
    """What the merchant of a rank, from 1, scores (R-SEE-35)."""
    return 11 - rank


def score(state: State) -> tuple[int, int]:
    """The points of white and yellow so far; 0 : 0 in the large game."""
    points = [0, 0]
    for rank, ship in enumerate(state.arrivals, 1):
        points[seat_of(ship)] += points_of(rank)
    return points[0], points[1]


def find_end(state: State) -> Result | None:
    """The result if the match ends here for another reason than its turn cap (9.1, 9.2)."""
    return _end_short(state) if state.settings.edition is Edition.SHORT else _end_large(state)


def end_at_cap(state: State) -> Result:
    """The result when the last turn has ended (9.3, R-SEE-36); a draw in the large game, which has no points."""
    return _by_points(state, EndReason.TURN_CAP)


def _end_large(state: State) -> Result | None:
    board = load_board()
    afloat = [ship for ship in MERCHANT_SHIPS if state.places[ship] != NOWHERE]
    for ship in afloat:
        if state.cargo[ship] and state.places[ship] in board.home[seat_of(ship)]:
            return Result(seat_of(ship), EndReason.CARGO_HOME, (0, 0))
    return None if afloat else Result(None, EndReason.NO_MERCHANTS, (0, 0))


def _end_short(state: State) -> Result | None:
    board = load_board()
    afloat = [ship for ship in MERCHANT_SHIPS if state.places[ship] != NOWHERE]
    if any(state.places[ship] not in board.destination[seat_of(ship)] for ship in afloat):
        return None
    return _by_points(state, EndReason.ALL_ARRIVED if afloat else EndReason.NO_MERCHANTS)


def _by_points(state: State, reason: EndReason) -> Result:
    white, yellow = score(state)
    winner = None if white == yellow else int(yellow > white)
    return Result(winner, reason, (white, yellow))
