"""Moves of matches whose tables the gateway has evicted, beside moves of matches that it has at hand."""

import asyncio
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.bench.accounting import between, spent
from tests.bench.guests import Guest, insist
from tests.bench.moves import pids_of
from tests.platform import Platform

_AT_ONCE = 16
MOST_AT_ONCE = 32
"""Calls of one connection at once: the gateway permits 100, and may count one that has just ended for a while."""
_BOTH = entry_pb2.MatchOptions(
    min_seats=2, max_seats=2, several_seats_each=entry_pb2.MatchOptions.SEVERAL_SEATS_ALLOWED
)


@dataclass(slots=True)
class Alone:
    """A match of which one player holds both seats."""

    name: str
    turn: int | None
    action: bytes = b""


async def begin(player: Guest, count: int, at_once: int = _AT_ONCE) -> list[Alone]:
    """So many matches, started by one call each."""
    slots = asyncio.Semaphore(at_once)
    return list(await asyncio.gather(*(_begin(player, slots) for _ in range(count))))


async def _begin(player: Guest, slots: asyncio.Semaphore) -> Alone:
    seats = [pb.SeatRequest(seat=0), pb.SeatRequest(seat=1)]
    request = pb.CreateMatchRequest(game="games/sirenen", seats=seats, options=_BOTH, request_id=secrets.token_hex(8))
    async with slots:
        made = await insist(lambda: player.matches.CreateMatch(request, metadata=player.metadata))
    return Alone(made.match.name, _first(made.match.status))


async def play_round(running: Platform, player: Guest, matches: Sequence[Alone]) -> dict[str, float]:
    """One move in each match; µs of CPU by role for a move. What can be played is asked for before, unmeasured."""
    slots = asyncio.Semaphore(_AT_ONCE)
    await asyncio.gather(*(_look(player, match, slots) for match in matches))
    ready = [match for match in matches if match.action]
    before = spent(pids_of(running))
    await asyncio.gather(*(_play(player, match, slots) for match in ready))
    costs = between(before, spent(pids_of(running)))
    return {role: cost / len(ready) * 1e6 for role, cost in costs.items()}


async def _look(player: Guest, match: Alone, slots: asyncio.Semaphore) -> None:
    match.action = b""
    if match.turn is None:
        return
    async with slots:
        request = pb.ListActionsRequest(name=match.name, seat=match.turn)
        listed = await player.matches.ListActions(request, metadata=player.metadata)
    if listed.actions:
        match.action = random.choice(listed.actions).action.SerializeToString()


async def _play(player: Guest, match: Alone, slots: asyncio.Semaphore) -> None:
    request = pb.PlayActionRequest(name=match.name, seat=match.turn, request_id=secrets.token_hex(8))
    request.action.ParseFromString(match.action)
    async with slots:
        played = await player.matches.PlayAction(request, metadata=player.metadata)
    match.turn = _first(played.update.status)


def _first(status: pb.Status) -> int | None:
    return status.turn[0] if status.turn else None
