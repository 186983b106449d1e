"""Guests with a connection each, and matches between two of them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc
from argosy.v1 import entry_pb2, session_service_pb2, session_service_pb2_grpc
from argosy.v1 import match_service_pb2 as pb
from argosy.v1 import match_service_pb2_grpc as match_grpc

_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))
_AT_ONCE = 32
TWO = entry_pb2.MatchOptions(min_seats=2, max_seats=2)


@dataclass(slots=True)
class Guest:
    """A player, signed in, on a connection of its own."""

    channel: grpc.aio.Channel
    matches: "match_grpc.MatchServiceAsyncStub"
    metadata: tuple[tuple[str, str], ...]


@asynccontextmanager
async def guests(addresses: Sequence[str], count: int) -> AsyncIterator[list[Guest]]:
    """So many guests, at the gateways in turn."""
    slots = asyncio.Semaphore(_AT_ONCE)
    signing = (_sign_in(addresses[i % len(addresses)], slots) for i in range(count))
    signed = await asyncio.gather(*signing)
    try:
        yield list(signed)
    finally:
        await asyncio.gather(*(guest.channel.close() for guest in signed))


async def _sign_in(address: str, slots: asyncio.Semaphore) -> Guest:
    channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
    sessions: session_service_pb2_grpc.SessionServiceAsyncStub = session_service_pb2_grpc.SessionServiceStub(channel)
    async with slots:
        request = session_service_pb2.CreateGuestRequest(display_name="Bench", request_id=secrets.token_hex(8))
        made = await sessions.CreateGuest(request)
    stub: match_grpc.MatchServiceAsyncStub = match_grpc.MatchServiceStub(channel)
    return Guest(channel, stub, (("authorization", f"Bearer {made.token.token}"),))


async def seat_matches(pairs: Sequence[tuple[Guest, Guest]], each: int) -> list[list[str]]:
    """For each pair the names of so many matches between the two, started."""
    slots = asyncio.Semaphore(_AT_ONCE)
    return list(await asyncio.gather(*(_seat_pair(pair, each, slots) for pair in pairs)))


async def _seat_pair(pair: tuple[Guest, Guest], each: int, slots: asyncio.Semaphore) -> list[str]:
    names, (first, second) = list[str](), pair
    for _ in range(each):
        async with slots:
            create = pb.CreateMatchRequest(
                game="games/sirenen", seats=[pb.SeatRequest(seat=0)], options=TWO, request_id=secrets.token_hex(8)
            )
            made = await first.matches.CreateMatch(create, metadata=first.metadata)
            join = pb.JoinMatchRequest(name=made.match.name, request_id=secrets.token_hex(8))
            await second.matches.JoinMatch(join, metadata=second.metadata)
            names.append(made.match.name)
    return names
