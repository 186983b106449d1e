"""Players for tests: clients that play by what the platform tells them."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence

from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.client.evidence import Evidence
from argosy.client.updates import Update
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.platform import Platform


@contextlib.asynccontextmanager
async def guests(platform: Platform, count: int = 2) -> AsyncIterator[list[Client]]:
    """Clients of guests, at the gateways in turn."""
    addresses = [gateway.address for gateway in platform.gateways]
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(Client.connect(addresses[i % len(addresses)], guest=f"Guest {i}"))
            for i in range(count)
        ]


async def play(
    client: Client, match: str, seat: int, *, seed: int = 0, stream: bool = True, evidence: Evidence | None = None
) -> list[Update]:
    """Plays a seat to the end, at random; all updates that it received."""
    chance, updates = random.Random(seed * 64 + seat), list[Update]()
    following = client.follow(match, seat=seat, position=True, actions=True, stream=stream, evidence=evidence)
    async for update in following:
        updates.append(update)
        if update.actions:
            try:
                await following.play(chance.choice(update.actions).action, at=update)
            except ArgosyError as error:  # another seat was faster: the next update says how it stands
                if error.name not in ("STALE_VERSION", "MATCH_ENDED"):
                    raise
    return updates


async def seated_match(clients: Sequence[Client], game: str = "sirenen") -> str:
    """A match of the first client's with everybody in the seat of its place."""
    options = entry_pb2.MatchOptions(min_seats=len(clients), max_seats=len(clients))
    match = await clients[0].create(game, seats=[pb.SeatRequest(seat=0)], options=options)
    for client in clients[1:]:
        await client.join(match.name)
    return match.name


async def play_all(clients: Sequence[Client], match: str, *, seed: int = 0, stream: bool = True) -> list[list[Update]]:
    """Everybody plays its seat to the end; the updates by seat."""
    players = [play(client, match, seat, seed=seed, stream=stream) for seat, client in enumerate(clients)]
    return list(await asyncio.wait_for(asyncio.gather(*players), 240))
