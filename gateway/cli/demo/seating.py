"""Seats the demo's matches: a host's own players, and games by the samples that they name."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from argosy.client import Account, Client, Game
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1.entry_pb2 import MatchOptions
from google.protobuf.message import Message

SEATS_PER_PLAYER = 12
"""So that players play several matches on one stream, and stay below what one of them may ask in a second."""
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """A game with settings and a number of seats."""

    game: str
    settings: Message
    seats: int


@dataclass(frozen=True, slots=True)
class Seated:
    """A match that goes on; `players` has the holder of each seat."""

    name: str
    game: str
    players: tuple[Account, ...]


def samples_of(games: Sequence[Game], count: int) -> list[Sample]:
    """What to play, the games in turn, of each its samples in turn."""
    turns = [cycle(_samples(game)) for game in games]
    return list(islice((next(turn) for turn in cycle(turns)), count))


async def seat_matches(host: Client, samples: Sequence[Sample]) -> list[Seated]:
    """One match for each sample, all seats given to players that belong to the host's key, and so started at once."""
    most = max(sample.seats for sample in samples)
    wanted = max(most, -(-sum(sample.seats for sample in samples) // SEATS_PER_PLAYER))
    room = asyncio.Semaphore(_AT_ONCE)

    async def make(number: int) -> Account:
        async with room:
            return await host.create_player(f"Bot {number + 1}")

    async def create(sample: Sample, players: tuple[Account, ...]) -> Seated:
        seats = [match_pb2.SeatRequest(seat=i, player=a.player) for i, a in enumerate(players)]
        options = MatchOptions(min_seats=sample.seats, max_seats=sample.seats)
        async with room:
            match = await host.create(sample.game, sample.settings, options=options, seats=seats)
        return Seated(match.name, sample.game, players)

    accounts = await asyncio.gather(*(make(number) for number in range(wanted)))
    parties = _parties(accounts, samples)
    return list(await asyncio.gather(*(create(*pair) for pair in zip(samples, parties, strict=True))))


def _samples(game: Game) -> list[Sample]:
    return [Sample(game.id, game.unpack(s.settings), s.seats) for s in game.about.samples]


def _parties(accounts: Sequence[Account], samples: Sequence[Sample]) -> Iterator[tuple[Account, ...]]:
    """Players for each sample in turn; nobody twice in one match, since there are as many as the largest needs."""
    ring = cycle(accounts)
    for sample in samples:
        yield tuple(islice(ring, sample.seats))
