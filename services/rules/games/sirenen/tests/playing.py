"""Random matches for the tests."""

from collections.abc import Iterator

from services.rules.games.sirenen.events import Event
from services.rules.games.sirenen.model import Action, Settings, State
from services.rules.loading import load
from services.rules.policies import choose_uniformly, list_legal
from services.rules.seeds import Chance

GAME = load("sirenen")
RULES = GAME.module
Step = tuple[State, int, Action, tuple[Event, ...], State]


def fold(state: State, events: tuple[Event, ...]) -> State:
    """The state after the events."""
    for event in events:
        state = RULES.evolve(state, event)
    return state


def begin(settings: Settings, seed: int) -> tuple[State, tuple[Event, ...], State]:
    """The empty table, the events of the start, and the state after them."""
    empty: State = RULES.initial(settings, 2)
    events = RULES.start(empty, Chance(seed).start())
    return empty, events, fold(empty, events)


def play(settings: Settings, seed: int) -> Iterator[Step]:
    """Each step of a random match: the state before, seat, action, events, the state after."""
    chance, (_, _, state), decided = Chance(seed), begin(settings, seed), 0
    while legal := list_legal(GAME, state):
        seat, action = choose_uniformly(GAME, state, legal, chance.policy)
        events = RULES.decide(state, seat, action, chance.decide(decided))
        after = fold(state, events)
        yield state, seat, action, events, after
        state, decided = after, decided + 1
