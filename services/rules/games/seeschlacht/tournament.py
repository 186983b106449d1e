"""Plays the sensible bot against random play and against itself, and counts.

    python -m services.rules.games.seeschlacht.tournament [--matches N] [--seed N]

N (100) matches of each edition against random play, the bot in either seat by turns, and a tenth as many against
itself. Times are CPU time.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

from services.rules.game import Status
from services.rules.games.seeschlacht.model import Edition, Settings
from services.rules.loading import Loaded, load
from services.rules.policies import choose_sensibly, choose_uniformly, list_legal
from services.rules.seeds import Chance


def play(game: Loaded, settings: Settings, seed: int, sensible: tuple[int, ...]) -> tuple[Status, int]:
    """How a match ended, and after how many turns; the bot plays the seats named."""
    chance, rules, decided = Chance(seed), game.module, 0
    state = rules.initial(settings, 2)
    events = rules.start(state, chance.start())
    while True:
        for event in events:
            state = rules.evolve(state, event)
        legal = list_legal(game, state)
        if not legal:
            return rules.status(state), state.turn
        policy = choose_sensibly if min(legal) in sensible else choose_uniformly
        seat, action = policy(game, state, legal, chance.policy)
        events = rules.decide(state, seat, action, chance.decide(decided))
        decided += 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the bot's wins, and how the matches ended."""
    parser = argparse.ArgumentParser(description="The sensible bot against random play, and against itself.")
    parser.add_argument("--matches", type=int, default=100, help="matches of each edition, 100")
    parser.add_argument("--seed", type=int, default=0, help="number of the first match, 0")
    asked, game = parser.parse_args(arguments), load("seeschlacht")
    seeds = range(asked.seed, asked.seed + asked.matches)
    for edition in Edition:
        began = time.process_time()
        ends = [(n % 2, *play(game, Settings(edition), n, (n % 2,))) for n in seeds]
        won = sum(status.scores[seat] == 1 for seat, status, _ in ends)
        title = f"{edition.value}: {won} of {len(seeds)} won"
        _report(title, [end[1:] for end in ends], time.process_time() - began)
        began = time.process_time()
        mirrored = [play(game, Settings(edition), n, (0, 1)) for n in seeds[: max(1, len(seeds) // 10)]]
        _report(f"{edition.value}, bot against bot", mirrored, time.process_time() - began)
    return 0


def _report(title: str, ends: list[tuple[Status, int]], seconds: float) -> None:
    reasons = dict(Counter(status.reason for status, _ in ends))
    turns = sorted(turn for _, turn in ends)[len(ends) // 2]
    sys.stdout.write(f"{title}; {reasons}; {turns} turns in the median; {seconds / len(ends):.2f} s a match\n")


if __name__ == "__main__":
    sys.exit(main())
