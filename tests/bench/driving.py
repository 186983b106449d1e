"""Drives matches: each pair of guests plays one match after another until enough moves are made."""

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.bench.sailor import Sailor

FULL = pb.Wanted(position=True, actions=True)
BARE = pb.Wanted()
_SIRENEN = "type.googleapis.com/argosy.games.sirenen.v1.Action"
_numbers = itertools.count(1)


class Carrier(Protocol):
    """The way by which one guest's actions travel."""

    async def send(self, action: pb.PlayActionRequest) -> None: ...


@dataclass(slots=True)
class Tally:
    """What one round has counted. `answers` and `told` are in ms: to the own answer, to the other seat's news."""

    wanted_moves: int
    answers: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    paced_s: float = 0.0  # seconds that a player thinks, on average
    wants_receipts: bool = False

    @property
    def is_full(self) -> bool:
        return len(self.answers) >= self.wanted_moves

    def answer(self, sent_at: float) -> None:
        self.answers.append((time.perf_counter() - sent_at) * 1000)
        if self.is_full:
            self.done.set()


class Game:
    """One match between two guests; `on_end` is called once it is over."""

    def __init__(self, name: str, carriers: tuple[Carrier, Carrier], wanted: pb.Wanted, tally: Tally) -> None:
        self.name, self.on_end = name, _nothing
        self.is_begun, self.is_over = False, False
        self._carriers, self._wanted, self._tally = carriers, wanted, tally
        self._sailors = (Sailor(0), Sailor(1))
        self._chance = random.Random(name)
        self._sent_at, self._mover, self._next = 0.0, -1, dict[int, bytes | None]()

    async def hear(self, seat: int, update: pb.EntryUpdate) -> None:
        """Takes an update of one seat's, and plays if it is time."""
        entry, sailor = update.entry, self._sailors[seat]
        own = entry.own[0].part if entry.own and entry.own[0].part else entry.public_part
        if self._wanted.position:
            over = entry_pb2.EntryPart.FromString(entry.public_part).HasField("end")
            action = self._chance.choice(update.actions).action.value if update.actions else None
        else:
            sailor.hear(own)
            over, action = sailor.is_over or sailor.is_stuck, sailor.choose()
        self._next[seat] = action
        if self._sent_at and seat != self._mover:
            self._tally.told.append((time.perf_counter() - self._sent_at) * 1000)
        if over and not self.is_over:
            self.is_over = True
            await self.on_end()
        elif action is not None and self.is_begun:
            await self._play(seat, action)

    async def begin(self) -> None:
        """Plays the first move."""
        self.is_begun = True
        for seat, action in tuple(self._next.items()):
            if action is not None:
                await self._play(seat, action)

    def answered(self) -> None:
        """Notes that the mover has its answer."""
        self._tally.answer(self._sent_at)

    async def _play(self, seat: int, action: bytes) -> None:
        if self._tally.is_full or self.is_over:
            return
        if self._tally.paced_s:
            await asyncio.sleep(self._chance.uniform(0, 2 * self._tally.paced_s))
        self._next[seat] = None
        wants = self._tally.wants_receipts
        request = pb.PlayActionRequest(
            name=self.name, seat=seat, request_id=f"{next(_numbers):016}", want_receipt=wants
        )
        request.action.type_url, request.action.value = _SIRENEN, action
        self._mover, self._sent_at = seat, time.perf_counter()
        await self._carriers[seat].send(request)


async def _nothing() -> None:
    pass


def in_turn(games: list[Game]) -> Callable[[], Coroutine[Any, Any, None]]:
    """Lets each game begin when the one before it is over; returns what begins the first."""
    for game, following in itertools.pairwise(games):
        game.on_end = following.begin
    return games[0].begin
