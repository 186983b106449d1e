"""The legal actions of a seat in canonical order (SPEC, 8.15), and when it is stuck (11.2)."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from services.rules.games.ruhe import cards, grid
from services.rules.games.ruhe.model import CELLS, ROWS, WIDTH, Colour, Kind, State
from services.rules.games.ruhe.moves import (
    Action,
    DepartDiscard,
    DiscardHand,
    DiscardTwo,
    Offer,
    Place,
    PlayFinish,
    PlayMonster,
    PlayStart,
    RockKeep,
    RockMove,
    StormDiscard,
    StormPass,
    StormRow,
    UseCompass,
)


def actors(state: State) -> tuple[int, ...]:
    """The seats that owe a decision, ascending (SPEC, section 6)."""
    pending = state.pending
    if pending is None:
        return ()
    if pending.kind is Kind.STORM_WINDOW:
        return pending.waiting
    if pending.kind is Kind.OFFER and state.departure is not None:
        return tuple(seat for seat, n in enumerate(state.departure.offers) if n is None)
    if pending.kind is Kind.PICK and state.departure is not None:
        return state.departure.waiting
    return (pending.seat,)


def can_use_compass(state: State) -> bool:
    """Whether every seat may use a compass now."""
    return state.pending is not None and state.compasses > 0 and bool(grid.targets(state))


def is_stuck(state: State, seat: int) -> bool:
    """Whether the seat has no turn action and no compass could open one (R-RUH-17)."""
    if has_turn_action(state, seat):
        return False
    could_be_opened = state.compasses > 0 and bool(state.storms)
    return not (could_be_opened and has_turn_action(replace(state, storms=()), seat))


def has_turn_action(state: State, seat: int) -> bool:
    """Whether one of 8.1 to 8.6 is legal, were it the seat's turn."""
    if grid.has_start_duty(state, seat) or len(grid.discardable(state, seat)) > 1:
        return True
    found = (_finishes(state, seat), placements(state, seat), _monsters(state, seat))
    return any(next(iter(kind), None) is not None for kind in found)


def placements(state: State, seat: int) -> Iterator[tuple[str, int, int]]:
    """Every card, cell and cost that the seat can afford, by card, then cell."""
    islands = [card for card in state.hands[seat] if card[0] == "I"]
    if not islands:
        return
    cells = _open_cells(state, seat)
    funds = len(grid.discardable(state, seat)) - 1
    for card in islands:
        number = cards.number(card)
        for cell, low, high, around in cells:
            if low < number < high:
                price = min((abs(number - n) for n in around), default=0)
                if price <= funds:
                    yield card, cell, price


def _open_cells(state: State, seat: int) -> list[tuple[int, int, int, tuple[int, ...]]]:
    """The cells where the seat may place: cell, the numbers it must lie between, its neighbours."""
    low, high = grid.bounds(state.grid)
    closed = closed_rows(state)
    needs_neighbour = grid.holds(state, seat, Colour.ORANGE)
    found = []
    for cell in range(CELLS):
        if state.grid[cell] or cell // WIDTH in closed:
            continue
        around = grid.neighbours(state.grid, cell)
        if around or not needs_neighbour:
            found.append((cell, low[cell], high[cell], around))
    return found


def closed_rows(state: State) -> frozenset[int]:
    """The rows closed by the rock or a violet storm."""
    violet = grid.violet_rows(state)
    return violet if state.rock is None else violet | {state.rock}


def actions(state: State, seat: int) -> Iterator[Action]:
    """The seat's legal actions in canonical order; none once the match is over."""
    if state.pending is None:
        return
    if seat in actors(state):
        yield from _DECISIONS[state.pending.kind](state, seat)
    if state.compasses > 0:
        yield from (UseCompass(storm) for storm in grid.targets(state))


def _turn(state: State, seat: int) -> Iterator[Action]:
    if grid.has_start_duty(state, seat):
        yield from (PlayStart(card) for card in state.hands[seat] if card[0] == "S")
        return
    yield from _finishes(state, seat)
    yield from _places(state, seat)
    yield from _monsters(state, seat)
    yield from (DiscardTwo(pair) for pair in combinations(grid.discardable(state, seat), 2))
    hand = state.hands[seat]
    if state.settings.storms and len(hand) > 2 and not any(card[0] == "M" for card in hand):
        yield DiscardHand()


def _finishes(state: State, seat: int) -> Iterator[Action]:
    if state.start is not None and grid.is_full(state.grid) and not grid.holds_monster(state):
        yield from (PlayFinish(card) for card in state.hands[seat] if card[0] == "F")


def _places(state: State, seat: int) -> Iterator[Action]:
    funds = grid.discardable(state, seat)
    for card, cell, price in placements(state, seat):
        rest = tuple(c for c in funds if c != card)
        yield from (Place(card, cell, pay) for pay in combinations(rest, price))


def _monsters(state: State, seat: int) -> Iterator[Action]:
    monsters = [card for card in state.hands[seat] if card[0] == "M"]
    if monsters:
        closed = closed_rows(state)
        cells = [cell for cell in range(CELLS) if state.grid[cell] and cell // WIDTH not in closed]
        yield from (PlayMonster(card, cell) for card in monsters for cell in cells)


def _rock(state: State, seat: int) -> Iterator[Action]:
    yield from (RockMove(row) for row in grid.gap_rows(state.grid) if row != state.rock)
    yield from (RockKeep(pay) for pay in combinations(grid.discardable(state, seat), 2))


def _offer(state: State, seat: int) -> Iterator[Action]:
    departure = state.departure
    if departure is not None:
        yield from map(Offer, range(min(departure.caps[seat], departure.required) + 1))


def _pick(state: State, seat: int) -> Iterator[Action]:
    departure = state.departure
    if departure is None:
        return
    funds, total = grid.discardable(state, seat), departure.split[seat]
    for blind in range(min(departure.blind[seat], total) + 1):
        yield from (DepartDiscard(chosen, blind) for chosen in combinations(funds, total - blind))


def _window(_state: State, _seat: int) -> Iterator[Action]:
    yield StormPass()


def _row(state: State, _seat: int) -> Iterator[Action]:
    yield from (StormRow(row) for row in range(ROWS) if not grid.is_full_row(state.grid, row))


def _cut(state: State, seat: int) -> Iterator[Action]:
    if state.pending is not None:
        yield from map(StormDiscard, combinations(grid.discardable(state, seat), state.pending.count))


_DECISIONS = {
    Kind.TURN: _turn,
    Kind.ROCK: _rock,
    Kind.OFFER: _offer,
    Kind.PICK: _pick,
    Kind.STORM_WINDOW: _window,
    Kind.STORM_ROW: _row,
    Kind.STORM_DISCARD: _cut,
}
