"""Constructed positions, in the shorthand of SPEC section 14, for goldens and tests."""

from collections.abc import Mapping
from typing import Any

from services.rules.games.ruhe import cards
from services.rules.games.ruhe.decisions import run
from services.rules.games.ruhe.evolution import evolve
from services.rules.games.ruhe.model import (
    CELLS,
    COLOURS,
    ActiveStorm,
    Colour,
    Difficulty,
    LyingCard,
    Settings,
    State,
    Step,
    Task,
)


def construct(setup: Any) -> State:
    """The state at the turn of seat 0, lost at once where it is stuck; what `setup` leaves out is at its default.

        {"hands": ["I40 I41", "I01"], "piles": ["I50", ""], "grid": {"3": 10}, "rows": {"0": 20}, "start": true,
         "rock": 3, "monsters": 3, "storms": {"Y1": 0}, "compasses": 1, "compasses_earned": 1}

    `rows` fills a row with consecutive numbers from the one given; a grid's number 0 empties the cell again. `storms`
    are active ones by the seat that holds them, the row of a violet one; present, if only empty, the expansion is on.
    """
    hands = tuple(cards.sort(hand.split()) for hand in setup["hands"])
    seats, none = len(hands), ((),) * len(hands)
    rock, storms = setup.get("rock"), setup.get("storms")
    monsters = setup.get("monsters", 0)
    state = State(
        Settings(Difficulty.NONE, rock is not None, monsters, storms is not None),
        seats,
        grid=_read_grid(setup),
        start=LyingCard(0, cards.STARTS[0]) if setup.get("start") else None,
        rock=rock,
        compasses=setup.get("compasses", 0),
        compasses_earned=setup.get("compasses_earned", setup.get("compasses", 0)),
        storms=tuple(_storm(card, at) for card, at in (storms or {}).items()),
        hands=hands,
        piles=tuple(tuple(pile.split()) for pile in setup.get("piles", [""] * seats)),
        discards=none,
        unseen=none,
        fresh=(5,) * seats,
        kept=(0,) * seats,
        tasks=(Task(Step.NEXT, 0),),
    )
    for event in run(state, ()):
        state = evolve(state, event)
    return state


def _read_grid(setup: Mapping[str, Any]) -> tuple[int, ...]:
    rows = {int(row) * 6 + i: first + i for row, first in setup.get("rows", {}).items() for i in range(6)}
    cells = {int(cell): number for cell, number in setup.get("grid", {}).items()}
    return tuple({**rows, **cells}.get(cell, 0) for cell in range(CELLS))


def _storm(card: str, at: int) -> ActiveStorm:
    colour = COLOURS[card[0]]
    return ActiveStorm(card, colour, *((None, at) if colour is Colour.VIOLET else (at, None)))
