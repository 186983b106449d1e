"""What the wind gives each ship (SPEC 2 and 7.4, R-SEE-09 and R-SEE-22)."""

import functools

from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import LIMITS, State, Wind

Allowances = tuple[int, ...]  # steps by facing, 1 to 6; 0 unused


@functools.cache
def read_rose(wind: Wind, *, is_heavily_damaged: bool) -> Allowances:
    """The allowance for each facing."""
    rose = load_board().chart.roses[wind.strength]
    angles = [min((d - wind.from_direction) % 6, (wind.from_direction - d) % 6) for d in range(1, 7)]
    return (0, *(max(0, rose[angle] - is_heavily_damaged) for angle in angles))


def allowances(state: State, ship: int) -> Allowances:
    """The allowance of the ship for each facing, as it is now. A ship is heavily damaged one hit before it sinks."""
    return read_rose(state.wind, is_heavily_damaged=state.hits[ship] == LIMITS[ship] - 1)
