"""Seats the demo's matches: players that belong to the host's key, seated by matchmaking or by the host itself."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Final

from argosy.client import Account, Client
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1.entry_pb2 import MatchOptions

from gateway.cli.demo.samples import Sample

SEATS_PER_PLAYER: Final = 12
"""So that players play several matches on one stream, and stay below what one of them may ask in a second."""
_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Seated:
    """A match that goes on; `players` has the holder of each seat."""

    name: str
    game: str
    players: tuple[Account, ...]


@dataclass
class Seating:
    """What has come of it so far: matches whose seats are all taken, and why others have none."""

    wanted: int
    seated: int = 0
    matches: list[Seated] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"seated {self.seated:4d} of {self.wanted}"


async def make_players(host: Client, samples: Sequence[Sample]) -> list[Account]:
    """As many players as it takes: nobody waits twice in one queue, or sits twice in one match."""
    queues = Counter[tuple[str, bytes]]()
    for sample in samples:
        queues[sample.queue] += sample.seats
    wanted = max(*queues.values(), -(-queues.total() // SEATS_PER_PLAYER))
    slots = asyncio.Semaphore(_AT_ONCE)

    async def make(number: int) -> Account:
        async with slots:
            return await host.create_player(f"Bot {number + 1}")

    return list(await asyncio.gather(*(make(number) for number in range(wanted))))


def parties(accounts: Sequence[Account], samples: Sequence[Sample]) -> Iterator[tuple[Account, ...]]:
    """Players for each sample in turn, going round: nobody twice among the next so many."""
    ring = cycle(accounts)
    for sample in samples:
        yield tuple(islice(ring, sample.seats))


async def seat_by_host(host: Client, samples: Sequence[Sample], seating: Seating) -> None:
    """One match for each sample, all seats given by the host, and so started at once."""
    accounts = await make_players(host, samples)
    slots = asyncio.Semaphore(_AT_ONCE)

    async def create(sample: Sample, players: tuple[Account, ...]) -> None:
        seats = [match_pb2.SeatRequest(seat=i, player=a.player) for i, a in enumerate(players)]
        options = MatchOptions(min_seats=sample.seats, max_seats=sample.seats)
        async with slots:
            match = await host.create(sample.game, sample.settings, options=options, seats=seats)
        seating.matches.append(Seated(match.name, sample.game, players))
        seating.seated += sample.seats

    await asyncio.gather(*(create(*pair) for pair in zip(samples, parties(accounts, samples), strict=True)))
