"""What the grid and the hands allow: neighbours, cost, blocked rows, discardable cards (SPEC, sections 5 and 6)."""

from services.rules.games.ruhe import cards
from services.rules.games.ruhe.model import (
    CELLS,
    HAND,
    HAND_UNDER_YELLOW,
    ROWS,
    WIDTH,
    Colour,
    State,
)

Grid = tuple[int, ...]


def neighbours(grid: Grid, cell: int) -> tuple[int, ...]:
    """The numbers at the cells before and after, also across the end of a row (R-RUH-05)."""
    around = (grid[i] for i in (cell - 1, cell + 1) if 0 <= i < CELLS)
    return tuple(n for n in around if n)


def cost(grid: Grid, cell: int, number: int) -> int:
    """How many cards the number costs there; 0 without neighbours (R-RUH-06)."""
    return min((abs(number - n) for n in neighbours(grid, cell)), default=0)


def bounds(grid: Grid) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each cell the greatest number below it (else 0) and the least above it (else 81)."""
    low, high = [0] * CELLS, [81] * CELLS
    for i in range(1, CELLS):
        low[i] = grid[i - 1] or low[i - 1]
    for i in range(CELLS - 2, -1, -1):
        high[i] = grid[i + 1] or high[i + 1]
    return tuple(low), tuple(high)


def is_full_row(grid: Grid, row: int) -> bool:
    """Whether all six cells are occupied."""
    return 0 not in grid[row * WIDTH : row * WIDTH + WIDTH]


def full_rows(grid: Grid) -> int:
    """How many rows are full."""
    return sum(is_full_row(grid, row) for row in range(ROWS))


def gap_rows(grid: Grid) -> tuple[int, ...]:
    """The rows with an empty cell, ascending."""
    return tuple(row for row in range(ROWS) if not is_full_row(grid, row))


def is_full(grid: Grid) -> bool:
    """Whether no cell is empty."""
    return 0 not in grid


def violet_rows(state: State) -> frozenset[int]:
    """The rows that violet storms close."""
    return frozenset(s.row for s in state.storms if s.row is not None)


def holds(state: State, seat: int, colour: Colour) -> bool:
    """Whether the seat holds an active storm of the colour."""
    return any(s.colour is colour and s.seat == seat for s in state.storms)


def limit(state: State, seat: int) -> int:
    """The seat's hand limit (R-RUH-09, R-RUH-29)."""
    return HAND_UNDER_YELLOW if holds(state, seat, Colour.YELLOW) else HAND


def discardable(state: State, seat: int) -> tuple[str, ...]:
    """What the seat may discard: no monster, and no start card while none lies (R-RUH-13, R-RUH-24)."""
    kept = "MS" if state.start is None else "M"
    return tuple(card for card in state.hands[seat] if card[0] not in kept)


def has_start_duty(state: State, seat: int) -> bool:
    """Whether the seat holds a start card while none lies (R-RUH-10)."""
    return state.start is None and any(card[0] == "S" for card in state.hands[seat])


def holds_monster(state: State) -> bool:
    """Whether any hand holds a monster (R-RUH-26)."""
    return any(card[0] == "M" for hand in state.hands for card in hand)


def is_finish_blocked(state: State) -> bool:
    """Whether only monsters in hands keep the match from its arrival (SPEC, 10.3)."""
    return state.start is not None and is_full(state.grid) and holds_monster(state)


def has_finish_left(state: State) -> bool:
    """Whether a finish card is in a hand or pile (R-RUH-18)."""
    return any(card[0] == "F" for place in state.hands + state.piles for card in place)


def targets(state: State) -> tuple[str, ...]:
    """The storms a compass may take, in canonical order (8.12)."""
    storms = {s.storm for s in state.storms}
    if state.pending is not None and state.pending.storm:
        storms.add(state.pending.storm)
    return cards.sort(storms)
