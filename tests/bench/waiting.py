"""Players who wait for others: how fast tickets are taken, and how soon two are seated while many wait."""

import asyncio
import itertools
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import grpc
from argosy.v1 import entry_pb2
from argosy.v1 import matchmaking_service_pb2 as pb
from argosy.v1 import matchmaking_service_pb2_grpc as matchmaking_grpc

from tests.bench.accounting import between, spent
from tests.bench.guests import Metadata, sign_in
from tests.bench.moves import percentiles, pids_of
from tests.platform import Platform

_CHANNELS, _AT_ONCE, _NEWCOMERS_AT_ONCE = 8, 32, 4
_IDLE_S = 86_400


@dataclass(frozen=True, slots=True)
class Seeker:
    """A player on a channel shared with others."""

    tickets: "matchmaking_grpc.MatchmakingServiceAsyncStub"
    metadata: Metadata

    async def ask(self, idle_s: int) -> str:
        """A ticket for Sirenen; those with the same `idle_s` are seated together. Its name."""
        options = entry_pb2.MatchOptions(min_seats=2, max_seats=2, idle_seconds=idle_s)
        ticket = pb.Ticket(game="games/sirenen", options=options)
        request = pb.CreateTicketRequest(ticket=ticket, request_id=secrets.token_hex(8))
        return (await self.tickets.CreateTicket(request, metadata=self.metadata)).ticket.name

    async def seated(self, name: str) -> None:
        """Returns once a match was made of the ticket."""
        watching = self.tickets.WatchTicket(pb.WatchTicketRequest(name=name), metadata=self.metadata)
        async for item in watching:
            if item.ticket.state == pb.Ticket.STATE_MATCHED:
                watching.cancel()
                return
        raise AssertionError("the ticket ended without a match")


async def seat_among(running: Platform, waiting: int, pairs: int, say: Callable[[str], None]) -> dict[str, float]:
    """So many tickets that find nobody; then pairs of newcomers, who find each other. `say` is told of each step."""
    channels = [grpc.aio.insecure_channel(running.address) for _ in range(_CHANNELS)]
    try:
        say(f"{waiting + 2 * pairs:,} players sign in")
        seekers = await _sign_in(channels, waiting + 2 * pairs)
        say(f"{waiting:,} tickets")
        before, began = spent(_pids(running)), time.perf_counter()
        await _ask_all(seekers[2 * pairs :])
        seconds, costs = time.perf_counter() - began, between(before, spent(_pids(running)))
        say(f"{pairs} pairs of newcomers")
        slots = asyncio.Semaphore(_NEWCOMERS_AT_ONCE)
        newcomers = zip(seekers[: 2 * pairs : 2], seekers[1 : 2 * pairs : 2], itertools.count(_IDLE_S), strict=False)
        times = await asyncio.gather(*(_seat(one, other, idle_s, slots) for one, other, idle_s in newcomers))
    finally:
        await asyncio.gather(*(channel.close() for channel in channels))
    p50, p95, p99 = percentiles(times)
    per_ticket = {f"{role}_us": cost / waiting * 1e6 for role, cost in costs.items()}
    return {"tickets_per_s": waiting / seconds, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99, **per_ticket}


def _pids(running: Platform) -> dict[str, Sequence[int]]:
    return {**pids_of(running), "matchmaking": [process.pid for process in running.matchmaking]}


async def _sign_in(channels: Sequence[grpc.aio.Channel], count: int) -> list[Seeker]:
    shared = [channels[i % len(channels)] for i in range(count)]
    signed = zip(shared, await sign_in(shared), strict=True)
    return [_seeker(channel, metadata) for channel, metadata in signed]


def _seeker(channel: grpc.aio.Channel, metadata: Metadata) -> Seeker:
    stub: matchmaking_grpc.MatchmakingServiceAsyncStub = matchmaking_grpc.MatchmakingServiceStub(channel)
    return Seeker(stub, metadata)


async def _ask_all(seekers: Sequence[Seeker]) -> None:
    slots = asyncio.Semaphore(_AT_ONCE)

    async def ask(seeker: Seeker, idle_s: int) -> None:
        async with slots:
            await seeker.ask(idle_s)

    await asyncio.gather(*(ask(seeker, 2 * _IDLE_S + number) for number, seeker in enumerate(seekers)))


async def _seat(one: Seeker, other: Seeker, idle_s: int, slots: asyncio.Semaphore) -> float:
    """ms from the second player's wish until both are seated."""
    async with slots:
        first = await one.ask(idle_s)
        began = time.perf_counter()
        second = await other.ask(idle_s)
        await asyncio.gather(one.seated(first), other.seated(second))
        return (time.perf_counter() - began) * 1000
