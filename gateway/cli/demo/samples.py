"""What the demo plays: games by the samples that they name, long ones less often than short ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from argosy.client import Game
from google.protobuf.message import Message

_ENTRIES: Final = 100
"""What a match of a game is taken to need that does not say."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A game with settings and a number of seats."""

    game: str
    settings: Message
    seats: int

    @property
    def queue(self) -> tuple[str, bytes]:
        """Equal for samples whose tickets may meet: a player waits in it once."""
        return self.game, self.settings.SerializeToString(deterministic=True)


def samples_of(games: Sequence[Game], count: int) -> list[Sample]:
    """What to play: of each game about as many entries, and its samples in turn; every game, if `count` allows."""
    turns = [cycle(_samples(game)) for game in games]
    return [next(turns[number]) for number in share_out([game.about.typical_entries for game in games], count)]


def share_out(entries: Sequence[int], count: int) -> list[int]:
    """For each of `count` matches the index of its game, by how many entries a match of each game takes.

    The next is always the game that has got the fewest entries so far.
    """
    weights, shares = [entry or _ENTRIES for entry in entries], [0] * len(entries)
    given = list[int]()
    for _ in range(count):
        least = min(range(len(shares)), key=lambda game: (shares[game], game))
        shares[least] += weights[least]
        given.append(least)
    return given


def _samples(game: Game) -> list[Sample]:
    return [Sample(game.id, game.unpack(s.settings), s.seats) for s in game.about.samples]
