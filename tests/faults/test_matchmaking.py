"""Matchmaking killed: at each point of making a match, and again and again under load; its feed group destroyed."""

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

import pytest
from argosy.client import Client, Joined
from argosy.client.retry import Patience
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb

from services.kit import parts
from services.kit.log import ids, partitions
from services.kit.log.asking import ask
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from services.match.matches import Matches
from services.match.rules import RulesDirectory
from services.matchmaking.__main__ import open_parts
from services.matchmaking.claims import Claims
from services.matchmaking.effects import Effects
from services.matchmaking.holding import intent_of
from services.matchmaking.intents import Intent
from services.matchmaking.making import Maker, match_of
from services.matchmaking.pairing import groups
from services.matchmaking.places import place_of
from services.matchmaking.queues import Queues
from services.matchmaking.settings import MatchmakingSettings
from tests.platform import Platform, run_platform

SEATING = {"ARGOSY_MATCHMAKING_LEASE_S": "0.6", "ARGOSY_MATCHMAKING_KEPT_S": "60"}
GAME = "sirenen"
PATIENT = Patience(total=180.0)
pytestmark = pytest.mark.timeout(600)


@contextlib.asynccontextmanager
async def guests(platform: Platform, count: int) -> AsyncIterator[list[Client]]:
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(Client.connect(platform.address, guest=f"G{i}", patience=PATIENT))
            for i in range(count)
        ]


@contextlib.asynccontextmanager
async def inside(platform: Platform) -> AsyncIterator[tuple[EventLog, Matches, Queues]]:
    """What a process of matchmaking has, in the test's own process."""
    directory = RulesDirectory({GAME: platform.rules[0].address})
    await directory.refresh()
    async with (
        open_log(RedisSettings(redis_url=platform.store.url)) as log,
        open_parts(log, directory, MatchmakingSettings()) as (matches, queues),
    ):
        yield log, matches, queues
    await directory.close()


async def nothing(_: Maker, __: Claims, ___: Intent) -> None:
    """Dies after the claim."""


async def make(maker: Maker, _: Claims, intent: Intent) -> None:
    """Dies after the match was recorded."""
    assert await maker.make(match_of(intent), intent)


async def make_and_settle(maker: Maker, claims: Claims, intent: Intent) -> None:
    """Dies after the tickets were told."""
    await make(maker, claims, intent)
    await claims.settle(match_of(intent), intent)


@pytest.mark.parametrize("get_to", [nothing, make, make_and_settle])
async def test_the_next_holder_finishes_what_a_dead_one_began(
    get_to: Callable[[Maker, Claims, Intent], Awaitable[None]],
) -> None:
    async with run_platform(gateways=0, seating=SEATING) as platform, inside(platform) as (log, matches, queues):
        dead = Claims(queues, GAME, "dead")
        assert await dead.hold(60_000)
        await platform.add_matchmaking()
        await platform.add_gateway()
        async with guests(platform, 2) as clients:
            tickets = [await client.tickets.create(GAME) for client in clients]
            ((queue, waiting),) = (await dead.waiting()).items()
            (group,) = groups(waiting, waiting[0].create_ms, 0)
            intent = await intent_of(dead, queue, group)
            assert await dead.claim(match_of(intent), intent)
            await get_to(Maker(matches, Effects(queues), "dead"), dead, intent)
            await queues.servers.all[0].client.pexpire(dead.place.lease, 1)
            found = await asyncio.gather(
                *(client.tickets.matched(ticket.name) for client, ticket in zip(clients, tickets, strict=True))
            )
            assert [ticket.match for ticket in found] == [f"matches/{ids.to_text(match_of(intent))}"] * 2
            assert [ticket.seat for ticket in found] == [0, 1]
            await asyncio.gather(*(client.ready(ticket.match) for client, ticket in zip(clients, found, strict=True)))
            assert (await clients[0].get(found[0].match)).state == match_pb.Match.STATE_ACTIVE
            assert list(await made_of_tickets(log)) == [match_of(intent)]
            for client in clients:  # both are free again
                await client.tickets.cancel((await client.tickets.create(GAME)).name)
                break
        assert await dead.intended() == {}


async def test_two_matchmakers_are_killed_under_load() -> None:
    async with run_platform(matchmaking=2, seating=SEATING) as platform, guests(platform, 12) as clients:
        found = list[Joined]()
        playing = asyncio.gather(*(find_and_resign(client, 6, found) for client in clients))
        for number in range(6):
            await asyncio.sleep(0.5)
            victim = platform.matchmaking[number % 2]
            await victim.end(signal.SIGKILL)
            await victim.start()
        await destroy_groups(platform)
        await asyncio.wait_for(playing, 240)
        async with inside(platform) as (log, _, queues):
            await check(log, queues, found)


async def find_and_resign(client: Client, times: int, found: list[Joined]) -> None:
    """Finds a match, is ready, and gives up where it sits in front; so often."""
    for _ in range(times):
        joined = await client.find_match(GAME, bot_policy="random", bot_wait_seconds=3)
        found.append(joined)
        async for update in client.follow(joined.match.name, seat=joined.seat, actions=True):
            if joined.seat == 0 and update.status is not None:
                await client.resign(joined.match.name)
                break
            if update.end is not None:
                break


async def destroy_groups(platform: Platform) -> None:
    """The consumer groups are gone, as after an operator's mistake."""
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        for partition in range(partitions.COUNT):
            await ask(log.servers, partition, "XGROUP", "DESTROY", partitions.feed_key(partition), "matchmaking")


class Told(Protocol):
    """Where a player was told that it sits."""

    @property
    def match(self) -> match_pb.Match: ...
    @property
    def seat(self) -> int: ...


async def check(log: EventLog, queues: Queues, found: Sequence[Told]) -> None:
    """Everybody who was seated sits where it was told, nobody else does, and each result counts once."""
    made = await made_of_tickets(log)
    told = Counter((joined.match.name, joined.seat) for joined in found)
    seats = Counter(
        (f"matches/{ids.to_text(match)}", taken.seat)
        for match, created in made.items()
        for taken in created.seats_taken.seats
        if not taken.bot_policy
    )
    assert told == seats
    assert set(told.values()) == {1}
    place = place_of(GAME)
    async with asyncio.timeout(240):
        while await counted(queues) != {b"RESIGNED": b"%d" % len(made)}:  # noqa: ASYNC110 - another process counts
            await asyncio.sleep(0.1)
    for key in (place.intents, place.made, place.queues):
        assert await ask(queues.servers, place.partition, "EXISTS", key) == 0


async def counted(queues: Queues) -> dict[bytes, bytes]:
    """How many matches ended how, as matchmaking counted."""
    place = place_of(GAME)
    results: list[bytes] = await ask(queues.servers, place.partition, "HGETALL", place.results)
    return dict(zip(results[::2], results[1::2], strict=True))


async def made_of_tickets(log: EventLog) -> dict[bytes, entry_pb2.PlatformEvent.Created]:
    """Every match in the store that matchmaking created, with its first entry."""
    found = {}
    async for key in log.servers.all[0].client.scan_iter(match="{p*}:match:*", count=1000):
        match = ids.from_text(key.decode().rsplit(":", 1)[1])
        (first,) = await log.read(match, 0, 1)
        created = parts.server_part(parts.opened(1, first.digest, first.body)).cause.created
        if created.creator == ids.ZERO:
            found[match] = created
    return found
