"""Measures what listing a fleet's moves costs, in CPU time.

    python -m services.rules.games.seeschlacht.enumeration [--matches N] [--seed N]

For every position in MOVE of N (10) matches of the short version played at random, and of N by the sensible bots:
how many actions are open; the time of the list alone, when nothing is remembered and when it was asked for before; and
of a whole answer to ListActions, with labels in English.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from argosy.rules.v1 import rules_service_pb2 as pb

from services.rules.games.seeschlacht.model import Phase, Settings, State
from services.rules.games.seeschlacht.movement import forget
from services.rules.games.seeschlacht.turn import list_actions
from services.rules.listing import LARGEST_PAGE
from services.rules.listing import list_actions as answer
from services.rules.loading import Loaded, load
from services.rules.policies import POLICIES, Policy, list_legal
from services.rules.seeds import Chance


def play(game: Loaded, policy: Policy, seed: int) -> Iterator[State]:
    """The positions in MOVE of one match."""
    chance, rules, decided = Chance(seed), game.module, 0
    state = rules.initial(Settings(), 2)
    events = rules.start(state, chance.start())
    while True:
        for event in events:
            state = rules.evolve(state, event)
        if state.phase is Phase.MOVE:
            yield state
        legal = list_legal(game, state)
        if not legal:
            return
        events = rules.decide(state, *policy(game, state, legal, chance.policy), chance.decide(decided))
        decided += 1


def measure(states: Sequence[State], ask: Callable[[State], object]) -> float:
    """Microseconds of CPU that each question takes."""
    began = time.process_time()
    for state in states:
        ask(state)
    return (time.process_time() - began) / len(states) * 1e6


def report(game: Loaded, name: str, matches: int, seed: int) -> str:
    """One line of figures for a policy."""
    states = [state for n in range(matches) for state in play(game, POLICIES[name], seed + n)]
    sizes = [len(list_actions(state, state.seat)) for state in states]

    def tell(state: State) -> None:
        answer(game, state, pb.ListActionsRequest(seat=state.seat, page_size=LARGEST_PAGE), pb.ListActionsResponse())

    fresh = sum(_measure_fresh(state) for state in states) / len(states)
    again = sum(measure([state] * 5, _list) for state in states) / len(states)
    whole = measure(states, tell)
    return (
        f"{name}: {len(states)} positions, {sum(sizes) / len(sizes):.1f} actions in the mean, {max(sizes)} at most; "
        f"list {fresh:.0f} µs fresh, {again:.0f} µs remembered; ListActions with labels {whole:.0f} µs\n"
    )


def _measure_fresh(state: State) -> float:
    forget()
    return measure([state], _list)


def _list(state: State) -> object:
    return list_actions(state, state.seat)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures; returns the exit code."""
    parser = argparse.ArgumentParser(description="What listing a fleet's moves costs.")
    parser.add_argument("--matches", type=int, default=10, help="matches of each policy, 10")
    parser.add_argument("--seed", type=int, default=0, help="number of the first match, 0")
    asked, game = parser.parse_args(arguments), load("seeschlacht")
    for name in POLICIES:
        sys.stdout.write(report(game, name, asked.matches, asked.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
