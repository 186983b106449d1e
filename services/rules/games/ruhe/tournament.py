"""Lets bots of one kind play together and counts the matches they win.

    python -m services.rules.games.ruhe.tournament [--matches N] [--seed N] [--policy sensible|random]

Every number of seats, without expansions and with each one, without difficulty. Seeds count up from the first one: the
bots were tuned on small ones, so that only larger ones show what they are worth.
"""

import argparse
import math
import sys

from services.rules.games.ruhe.model import Difficulty, Settings
from services.rules.loading import Loaded, load
from services.rules.policies import Legal, choose_sensibly, choose_uniformly
from services.rules.seeds import Chance

_POLICIES = {"sensible": choose_sensibly, "random": choose_uniformly}
EXPANSIONS = {
    "none": Settings(Difficulty.NONE, rocks=False, monsters=0, storms=False),
    "rocks": Settings(Difficulty.NONE, rocks=True, monsters=0, storms=False),
    "monsters": Settings(Difficulty.NONE, rocks=False, monsters=3, storms=False),
    "storms": Settings(Difficulty.NONE, rocks=False, monsters=0, storms=True),
    "all": Settings(Difficulty.NONE, rocks=True, monsters=3, storms=True),
}


def play(game: Loaded, settings: Settings, seats: int, seed: int, policy: str = "sensible") -> tuple[bool, str, int]:
    """Whether the match is won, why it ended, and how many cells were filled. Only seats that owe a decision act."""
    rules, chance, decided = game.module, Chance(seed), 0
    state = rules.initial(settings, seats)
    events = rules.start(state, chance.start())
    while True:
        for event in events:
            state = rules.evolve(state, event)
        status = rules.status(state)
        if status.scores:
            return status.scores[0] == 1, status.reason, sum(map(bool, state.grid))
        legal: Legal = {seat: tuple(rules.actions(state, seat)) for seat in status.turn}
        seat, action = _POLICIES[policy](game, state, legal, chance.policy)
        events = rules.decide(state, seat, action, chance.decide(decided))
        decided += 1


def main() -> int:
    """Prints the share of matches won, with its standard error, by expansion and number of seats."""
    parser = argparse.ArgumentParser(prog="python -m services.rules.games.ruhe.tournament")
    parser.add_argument("--matches", type=int, default=200, help="for each expansion and number of seats")
    parser.add_argument("--seed", type=int, default=1_000_000, help="the first match's; the others count up from it")
    parser.add_argument("--policy", choices=sorted(_POLICIES), default="sensible")
    parser.add_argument("--expansion", choices=sorted(EXPANSIONS), action="append")
    asked = parser.parse_args()
    game = load("ruhe")
    for name in asked.expansion or EXPANSIONS:
        for seats in range(1, 6):
            seeds = range(asked.seed, asked.seed + asked.matches)
            played = [play(game, EXPANSIONS[name], seats, seed, asked.policy) for seed in seeds]
            won = sum(is_won for is_won, _, _ in played) / len(played)
            error = math.sqrt(won * (1 - won) / len(played))
            filled = sum(cells for _, _, cells in played) / len(played)
            line = f"{name:>8} {seats} seats: {won:6.1%} ± {error:.1%} won of {len(played)}, {filled:.1f} cells filled"
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
