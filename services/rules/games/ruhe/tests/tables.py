"""Constructed positions for the tests, in the shorthand of SPEC section 14."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.kit.draws import SeededDraws
from services.rules.game import Illegal, Unreadable
from services.rules.games.ruhe import decide, evolve
from services.rules.games.ruhe.cards import sort
from services.rules.games.ruhe.constructed import construct
from services.rules.games.ruhe.events import CardDrawn, Event
from services.rules.games.ruhe.model import State
from services.rules.games.ruhe.moves import Action, Place
from services.rules.loading import load
from services.rules.views import view

NO_DRAWS = SeededDraws(bytes(32))
FULL = {cell: cell + 20 for cell in range(36)}


def cards(text: str) -> tuple[str, ...]:
    """`"I01 F2"` as cards in canonical order."""
    return sort(text.split())


def storm(card: str, at: int) -> tuple[str, int]:
    """The active storm at the seat, or for a violet one at the row."""
    return card, at


def table(
    hands: str,
    grid: Mapping[int, int] | None = None,
    *,
    piles: Sequence[str] = (),
    storms: Sequence[tuple[str, int]] | None = None,
    fresh: tuple[int, ...] | None = None,
    **more: Any,
) -> State:
    """The state that `construct` gives; hands are parted by "|", `storms=()` switches the expansion on."""
    setup = {"hands": hands.split("|"), "grid": grid or {}, **more}
    setup |= {"piles": piles} if piles else {}
    setup |= {"storms": dict(storms)} if storms is not None else {}
    state = construct(setup)
    return state if fresh is None else replace(state, fresh=fresh)


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


def seen(event: Event, viewer: int | None) -> Event:
    """The event as the viewer gets it."""
    shown: Event = view(load("ruhe").event, event, viewer)
    return shown


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
