"""Matches played at random, in process."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from services.kit.draws import SeededDraws
from services.rules.games import ruhe
from services.rules.games.ruhe.events import Event
from services.rules.games.ruhe.model import Settings, State


@dataclass(frozen=True)
class Entry:
    """One decision (the start: seat None), the state after it, its events."""

    seat: int | None
    action: Any
    events: tuple[Event, ...]
    state: State


def seeded(*parts: object) -> SeededDraws:
    """Draws that follow from the parts."""
    return SeededDraws(hashlib.sha256(repr(parts).encode()).digest())


def fold(state: State, events: tuple[Event, ...]) -> State:
    """The state after the events."""
    for event in events:
        state = ruhe.evolve(state, event)
    return state


def playout(settings: Settings, seats: int, seed: int) -> Iterator[Entry]:
    """The entries of a match in which every legal action is as likely as any other."""
    draws = seeded("match", seats, seed)
    state = ruhe.initial(settings, seats)
    events = ruhe.start(state, draws)
    state = fold(state, events)
    yield Entry(None, None, events, state)
    while not ruhe.status(state).scores:
        open_now = [(seat, action) for seat in range(seats) for action in ruhe.actions(state, seat)]
        seat, action = open_now[draws.below("choice", len(open_now))]
        events = ruhe.decide(state, seat, action, draws)
        state = fold(state, events)
        yield Entry(seat, action, events, state)
