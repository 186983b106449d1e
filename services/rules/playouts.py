"""Measures how fast a game's rules are in process, by matches played uniformly at random.

    python -m services.rules.playouts GAME [--seconds 5] [--seed 0]

For each of the SAMPLES one line of JSON: settings, seats, playouts and actions per second of CPU, actions a match,
and how often each reason ended one. A match is the rules alone: listing, deciding, folding; no bytes, no views.
"""

import argparse
import json
import sys
import time
from collections import Counter
from typing import Any

from services.rules.loading import Loaded, load
from services.rules.policies import choose_uniformly, list_legal
from services.rules.seeds import Chance


def play(game: Loaded, settings: Any, seats: int, seed: int) -> tuple[int, str]:
    """One match; the number of its actions and why it ended."""
    rules, chance, decided = game.module, Chance(seed), 0
    state = rules.initial(settings, seats)
    events = rules.start(state, chance.start())
    while True:
        for event in events:
            state = rules.evolve(state, event)
        legal = list_legal(game, state)
        if not legal:
            return decided, rules.status(state).reason
        seat, action = choose_uniformly(game, state, legal, chance.policy)
        events = rules.decide(state, seat, action, chance.decide(decided))
        decided += 1


def measure(game: Loaded, settings: Any, seats: int, seconds: float, seed: int) -> dict[str, Any]:
    """The figures of as many matches as begin within the time."""
    began, actions, reasons = time.process_time(), 0, Counter[str]()
    while (spent := time.process_time() - began) < seconds:
        decided, reason = play(game, settings, seats, seed + reasons.total())
        actions += decided
        reasons[reason] += 1
    played = reasons.total()
    return {
        "settings": str(settings),
        "seats": seats,
        "playouts_per_second": round(played / spent, 1),
        "actions_per_second": round(actions / spent),
        "actions_per_playout": round(actions / played, 1),
        "reasons": dict(sorted(reasons.items())),
    }


def main() -> int:
    """Runs the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m services.rules.playouts", description="Speed of a game's rules.")
    parser.add_argument("game", help="the game's id")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU time for each sample, 5")
    parser.add_argument("--seed", type=int, default=0, help="number of the first match, 0")
    asked = parser.parse_args()
    game = load(asked.game)
    for settings, seats in game.module.SAMPLES:
        figures = measure(game, settings, seats, asked.seconds, asked.seed)
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
