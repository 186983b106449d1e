"""Constructed positions for the tests, in the shorthand of SPEC section 14."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.kit.draws import SeededDraws
from services.rules.game import Illegal, Unreadable
from services.rules.games.ruhe import decide, evolve
from services.rules.games.ruhe.cards import sort
from services.rules.games.ruhe.decisions import run
from services.rules.games.ruhe.events import CardDrawn, Event
from services.rules.games.ruhe.model import (
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
from services.rules.games.ruhe.moves import Action, Place

NO_DRAWS = SeededDraws(bytes(32))
FULL = {cell: cell + 20 for cell in range(36)}


def cards(text: str) -> tuple[str, ...]:
    """`"I01 F2"` as cards in canonical order."""
    return sort(text.split())


def storm(card: str, at: int) -> ActiveStorm:
    """The active storm at the seat, or for a violet one at the row."""
    colour = COLOURS[card[0]]
    return ActiveStorm(card, colour, *((None, at) if colour is Colour.VIOLET else (at, None)))


def table(
    hands: str,
    grid: Mapping[int, int] | None = None,
    *,
    piles: Sequence[str] = (),
    start: bool = False,
    rock: int | None = None,
    monsters: int = 0,
    storms: Sequence[ActiveStorm] | None = None,
    **more: Any,
) -> State:
    """The state at the turn of seat 0 (lost at once where it is stuck); `storms=()` switches the expansion on."""
    held = tuple(cards(hand) for hand in hands.split("|"))
    seats = len(held)
    state = State(
        Settings(Difficulty.NONE, rock is not None, monsters, storms is not None),
        seats,
        grid=tuple((grid or {}).get(cell, 0) for cell in range(36)),
        start=LyingCard(0, "S1") if start else None,
        rock=rock,
        storms=tuple(storms or ()),
        hands=held,
        piles=tuple(tuple(p.split()) for p in piles) or ((),) * seats,
        discards=((),) * seats,
        unseen=((),) * seats,
        fresh=(5,) * seats,
        kept=(0,) * seats,
        tasks=(Task(Step.NEXT, 0),),
    )
    state = replace(state, **more)
    for event in run(state, ()):
        state = evolve(state, event)
    return state


def play(state: State, seat: int, action: Action) -> State:
    """The state after the action."""
    return told(state, seat, action)[0]


def told(state: State, seat: int, action: Action) -> tuple[State, tuple[Event, ...]]:
    """The state after the action, and its events."""
    events = decide(state, seat, action, NO_DRAWS)
    for event in events:
        state = evolve(state, event)
    return state, events


def window() -> State:
    """Seat 0 has drawn Y1 with one compass in hand."""
    state = table("I40 I41 I42 I43 I44|I01 I02", storms=(), compasses=1, compasses_earned=1, piles=("Y1 I50 I51", ""))
    return play(state, 0, Place("I40", 20, ()))


def names(events: Sequence[Event]) -> str:
    """The kinds of the events, in one line."""
    return " ".join(type(event).__name__ for event in events)


def drawers(events: Sequence[Event]) -> list[int]:
    """Who drew a card, in order."""
    return [event.seat for event in events if isinstance(event, CardDrawn)]


def refusal(state: State, seat: int, action: Action | Unreadable) -> str:
    """The code that the action is refused with; "" if it is accepted."""
    try:
        decide(state, seat, action, NO_DRAWS)
    except Illegal as refused:
        return refused.code
    return ""
