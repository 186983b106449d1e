"""Random playouts of the game, step by step."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from services.kit.draws import SeededDraws
from services.rules.games import piraten
from services.rules.games.piraten.events import Event
from services.rules.games.piraten.fold import fold
from services.rules.games.piraten.model import Settings, State
from services.rules.games.piraten.moves import Action


@dataclass(frozen=True, slots=True)
class Step:
    """The state after some events, and the actions legal in it."""

    before: State
    events: tuple[Event, ...]
    state: State
    legal: tuple[Action, ...]


def play(settings: Settings, seats: int, seed: int, limit: int = 10_000) -> Iterator[Step]:
    """The steps of one match, its start first, at most `limit`; everything follows from the seed."""
    draws = SeededDraws(hashlib.sha256(f"piraten playout {seed}".encode()).digest())
    before = piraten.initial(settings, seats)
    events = piraten.start(before, draws)
    for _ in range(limit):
        state = fold(before, events)
        legal = tuple(piraten.actions(state, state.seat))
        yield Step(before, events, state, legal)
        if not legal:
            return
        action = legal[draws.below("choice", len(legal))]
        before, events = state, piraten.decide(state, state.seat, action, draws)
