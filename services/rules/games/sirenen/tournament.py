"""Plays the sensible bot against random play and counts.

    python -m services.rules.games.sirenen.tournament [MATCHES]

MATCHES (100) of each variant, the bot in either seat by turns.
"""

import sys

from services.rules.games.sirenen.model import Settings, Variant
from services.rules.loading import Loaded, load
from services.rules.policies import choose_sensibly, choose_uniformly, list_legal
from services.rules.seeds import Chance


def play(game: Loaded, settings: Settings, seed: int, sensible: int) -> float:
    """The score of the seat that the bot plays."""
    chance, rules, decided = Chance(seed), game.module, 0
    state = rules.initial(settings, 2)
    events = rules.start(state, chance.start())
    while True:
        for event in events:
            state = rules.evolve(state, event)
        legal = list_legal(game, state)
        if not legal:
            return rules.status(state).scores[sensible]
        seat = min(legal)
        policy = choose_sensibly if seat == sensible else choose_uniformly
        _, action = policy(game, state, {seat: legal[seat]}, chance.policy)
        events = rules.decide(state, seat, action, chance.decide(decided))
        decided += 1


def main() -> int:
    """Prints the bot's score in each variant."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for variant in Variant:
        scores = [play(load("sirenen"), Settings(variant), n, n % 2) for n in range(matches)]
        won = sum(s == 1 for s in scores)
        sys.stdout.write(f"{variant.value}: {won} of {matches} won, {scores.count(0.5)} drawn\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
