"""Guests with a connection each, and matches between two of them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import grpc
from argosy.v1 import entry_pb2, session_service_pb2, session_service_pb2_grpc
from argosy.v1 import match_service_pb2 as pb
from argosy.v1 import match_service_pb2_grpc as match_grpc

_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))
_AT_ONCE = 32
_SIGNING = 8  # at once: each is a transaction of its own
_TRIES, _AGAIN_S = 5, 2.0
Answer = TypeVar("Answer")
Metadata = tuple[tuple[str, str], ...]
TWO = entry_pb2.MatchOptions(min_seats=2, max_seats=2)


@dataclass(slots=True)
class Guest:
    """A player, signed in, on a connection of its own."""

    channel: grpc.aio.Channel
    matches: "match_grpc.MatchServiceAsyncStub"
    metadata: Metadata


@asynccontextmanager
async def guests(addresses: Sequence[str], count: int) -> AsyncIterator[list[Guest]]:
    """So many guests, at the gateways in turn."""
    channels = [grpc.aio.insecure_channel(addresses[i % len(addresses)], options=_OPTIONS) for i in range(count)]
    try:
        yield [_guest(*each) for each in zip(channels, await sign_in(channels), strict=True)]
    finally:
        await asyncio.gather(*(channel.close() for channel in channels))


def _guest(channel: grpc.aio.Channel, metadata: Metadata) -> Guest:
    stub: match_grpc.MatchServiceAsyncStub = match_grpc.MatchServiceStub(channel)
    return Guest(channel, stub, metadata)


async def sign_in(channels: Sequence[grpc.aio.Channel]) -> list[Metadata]:
    """A guest for each of these channels, of which several may be the same: what its calls carry."""
    slots = asyncio.Semaphore(_SIGNING)
    return list(await asyncio.gather(*(_sign_in(channel, slots) for channel in channels)))


async def _sign_in(channel: grpc.aio.Channel, slots: asyncio.Semaphore) -> Metadata:
    sessions: session_service_pb2_grpc.SessionServiceAsyncStub = session_service_pb2_grpc.SessionServiceStub(channel)
    request = session_service_pb2.CreateGuestRequest(display_name="Bench", request_id=secrets.token_hex(8))
    async with slots:
        made = await insist(lambda: sessions.CreateGuest(request))
    return (("authorization", f"Bearer {made.token.token}"),)


async def insist(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """The answer of a call that makes ready what is measured later; it is made again where the platform cannot now."""
    for _ in range(_TRIES):
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(_AGAIN_S)
    return await call()


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
            made = await insist(partial(first.matches.CreateMatch, create, metadata=first.metadata))
            join = pb.JoinMatchRequest(name=made.match.name, request_id=secrets.token_hex(8))
            await insist(partial(second.matches.JoinMatch, join, metadata=second.metadata))
            names.append(made.match.name)
    return names
