"""What the wind gives each ship (SPEC 2 and 7.4, R-SEE-09 and R-SEE-22)."""

import functools
from collections.abc import Mapping, Sequence

from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import LIMITS, State, Wind

Allowances = tuple[int, ...]  # steps by facing, 1 to 6; 0 unused


def read_rose(wind: Wind, *, is_heavily_damaged: bool) -> Allowances:
    """The allowance for each facing."""
    return _tables()[wind.strength][wind.from_direction][is_heavily_damaged]


def allowances(state: State, ship: int) -> Allowances:
    """The allowance of the ship for each facing, as it is now. A ship is heavily damaged one hit before it sinks."""
    return _tables()[state.wind.strength][state.wind.from_direction][state.hits[ship] == LIMITS[ship] - 1]


@functools.cache
def _tables() -> Mapping[str, tuple[tuple[Allowances, Allowances], ...]]:
    """By strength, direction (0 unused) and heavy damage."""
    roses = load_board().chart.roses
    return {name: tuple((_turn(rose, d, 0), _turn(rose, d, 1)) for d in range(7)) for name, rose in roses.items()}


def _turn(rose: Sequence[int], wind: int, loss: int) -> Allowances:
    """The rose turned to the wind, less what damage costs."""
    angles = [min((d - wind) % 6, (wind - d) % 6) for d in range(1, 7)]
    return (0, *(max(0, rose[angle] - loss) for angle in angles))
