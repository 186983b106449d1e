"""Matches played by bots, in process: how often each variant is won by each number of players.

python -m services.rules.games.piraten.tournament [--matches N] [--policy sensible|random] [--seed N] [--seats N]
    [--variant small|experienced|big]
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from services.kit.draws import SeededDraws
from services.rules.game import Draws
from services.rules.games.piraten import bot
from services.rules.games.piraten.description import SAMPLES
from services.rules.games.piraten.fold import fold
from services.rules.games.piraten.legality import actions
from services.rules.games.piraten.model import Settings, State, Variant
from services.rules.games.piraten.moves import Action
from services.rules.games.piraten.rules import decide
from services.rules.games.piraten.setup import completed, initial, start
from services.rules.games.piraten.table import position

POLICIES = ("sensible", "random")


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of some matches."""

    matches: int
    won: int
    turns: int
    boats_home: int
    boats: int


def play(settings: Settings, seats: int, policy: str, seed: int) -> State:
    """The last state of a match that follows from the seed alone."""
    entropy = hashlib.sha256(f"piraten tournament {seed}".encode()).digest()
    draws = SeededDraws(entropy)
    state = initial(settings, seats)
    state = fold(state, start(state, draws))
    while state.outcome is None:
        state = fold(state, decide(state, state.seat, choose(state, policy, draws), draws))
    return state


def choose(state: State, policy: str, draws: Draws) -> Action:
    """What the policy does for the mover."""
    legal = list(actions(state, state.seat))
    if policy == "random" or len(legal) == 1:
        return legal[draws.below("choice", len(legal))]
    return bot.choose(position(state), state.seat, legal, draws)


def tally(settings: Settings, seats: int, policy: str, seeds: range) -> Tally:
    """The outcome of one match for each seed."""
    ends = [play(settings, seats, policy, seed) for seed in seeds]
    return Tally(
        matches=len(ends),
        won=sum(end.outcome == "won" for end in ends),
        turns=sum(end.turn for end in ends),
        boats_home=sum(end.boats.count("HOME") for end in ends),
        boats=sum(len(end.boats) for end in ends),
    )


def report(policy: str, seeds: range, variants: frozenset[Variant], seats: frozenset[int]) -> Iterator[str]:
    """A line for each sample of the game that was asked for."""
    yield "variant      boats  players  matches  won     turns  boats home"
    for settings, players in _fields():
        if settings.variant in variants and players in seats:
            t = tally(settings, players, policy, seeds)
            boats = completed(settings, players).boats_per_player
            share, turns, home = t.won / t.matches, t.turns / t.matches, t.boats_home / t.boats
            yield (
                f"{settings.variant:<12} {boats:<6} {players:<8} {t.matches:<8} {share:<7.1%} {turns:<6.1f} {home:.1%}"
            )


def _fields() -> Iterator[tuple[Settings, int]]:
    """Every variant and number of boats, with every number of players."""
    kinds = dict.fromkeys(settings for settings, _ in SAMPLES)
    yield from ((settings, players) for settings in kinds for players in (2, 3, 4))


def main() -> None:
    """Reads the command line and writes the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", type=int, default=100, help="matches of each kind")
    parser.add_argument("--policy", choices=POLICIES, default=POLICIES[0])
    parser.add_argument("--seed", type=int, default=0, help="the first match's; the others count up from it")
    parser.add_argument("--variant", choices=[str(v) for v in Variant], help="this variant only")
    parser.add_argument("--seats", type=int, choices=(2, 3, 4), help="this number of players only")
    asked = parser.parse_args()
    variants = frozenset([Variant(asked.variant)] if asked.variant else Variant)
    seats = frozenset([asked.seats] if asked.seats else (2, 3, 4))
    for line in report(asked.policy, range(asked.seed, asked.seed + asked.matches), variants, seats):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
