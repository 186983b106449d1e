"""Following all of one's matches, now and later, at whichever gateway the seats are taken."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio
from argosy.client import ArgosyError, Client, Following, Mine, Update
from argosy.client.ids import raw_id
from argosy.v1 import entry_pb2, match_service_pb2_grpc
from argosy.v1 import match_service_pb2 as pb

from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests.integration.players import guests
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions
SEAT = (pb.SeatRequest(seat=0),)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(("sirenen", "ruhe"), gateways=2, matchmaking=1) as running:
        yield running


async def named(mine: Mine, count: int) -> dict[str, Following]:
    """The next tables, by match."""
    async with asyncio.timeout(60):
        tables = [await anext(mine) for _ in range(count)]
    return {table.name: table for table in tables}


async def versions(table: Following, last: int) -> list[int]:
    """The versions that come, up to this one."""
    found = list[int]()
    async with asyncio.timeout(60):
        async for update in table:
            found.append(update.version)
            if update.version == last:
                break
    return found


async def test_matches_of_now_and_later_come_by_themselves(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob):  # each at a gateway of its own
        old = await anna.create("sirenen", seats=SEAT)
        other = await bob.create("sirenen", seats=SEAT)
        async with anna.follow_mine() as mine:
            assert set(await named(mine, 1)) == {old.name}
            await mine.completed()
            created = await anna.create("ruhe", options=Options(max_seats=2), seats=SEAT)
            found = await named(mine, 1)
            assert set(found) == {created.name}
            await bob.join(created.name)
            assert await versions(found[created.name], 2) == [1, 2]
            await anna.join(other.name)
            joined = (await named(mine, 1))[other.name]
            assert await versions(joined, 2) == [1, 2]
            assert joined.seat == 1


async def test_who_sits_at_another_gateway_is_followed_here(platform: Platform) -> None:
    here, there = (gateway.address for gateway in platform.gateways)
    async with Client.connect(here, guest="Ann") as anna, Client.connect(there, guest="Bob") as bob:
        renewed = await anna.credentials.bearer(anna._calls)
        async with Client.connect(there, token=renewed) as again, anna.follow_mine() as mine:
            match = await bob.create("sirenen", seats=SEAT)
            await mine.completed()
            await again.join(match.name)
            table = (await named(mine, 1))[match.name]
            assert (await versions(table, 2), table.seat) == ([1, 2], 1)


async def test_a_match_made_of_a_ticket_is_told_with_it(platform: Platform) -> None:
    async with guests(platform, 2) as clients, clients[0].follow_mine() as mine:
        tickets = [await client.tickets.create("sirenen") for client in clients]
        (name, table), *_ = (await named(mine, 1)).items()
        assert mine.tickets == {name: tickets[0].name}
        assert table.seat is not None
        for client in clients:
            with contextlib.suppress(ArgosyError):  # after ten seconds it starts by itself
                await client.ready(name)
        async with asyncio.timeout(60):
            async for update in table:
                if update.part is not None and update.part.HasField("start"):
                    break
        assert (await clients[0].tickets.get(tickets[0].name)).match == name


async def test_one_plays_to_the_end_on_what_comes(platform: Platform) -> None:
    async def play(table: Following) -> Update:
        async for update in table:
            if update.actions:
                await table.play(update.actions[0].action)
        assert table.last is not None
        return table.last

    async with guests(platform, 1) as (anna,), anna.follow_mine(["ruhe"], actions=True) as mine:
        await anna.create("sirenen", seats=SEAT)
        made = [await anna.create("ruhe", options=Options(max_seats=1), seats=SEAT) for _ in range(3)]
        found = await named(mine, 3)
        assert set(found) == {match.name for match in made}
        ends = await asyncio.wait_for(asyncio.gather(*map(play, found.values())), 60)
        assert all(update.end is not None for update in ends)
        async with anna.follow_mine(["ruhe"]) as again:
            await again.completed()
            assert again._tables.empty()


async def test_seats_taken_and_given_up_change_what_comes(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob), anna.follow_mine() as mine:
        match = await bob.create("ruhe", options=Options(max_seats=3))
        await anna.join(match.name, 0)
        table = (await named(mine, 1))[match.name]
        await anna.join(match.name, 2)
        await bob.join(match.name, 1)
        assert await versions(table, 4) == [1, 2, 3, 4]
        assert table.last is not None
        assert table.last.entry is not None
        assert [part.index for part in table.last.entry.own] == [0, 2]
        other = await anna.create("sirenen", seats=SEAT)
        left = (await named(mine, 1))[other.name]
        await anna.leave(other.name)
        async with asyncio.timeout(60):
            assert all(update.end is None for update in [update async for update in left])
        await anna.join(other.name)
        assert set(await named(mine, 1)) == {other.name}


async def test_a_gateway_that_dies_is_not_noticed(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob), anna.follow_mine() as mine:
        old = await anna.create("sirenen", seats=SEAT)
        table = (await named(mine, 1))[old.name]
        assert await versions(table, 1) == [1]
        gateway = platform.gateways[0]
        await gateway.end(signal.SIGKILL)
        new = await bob.create("sirenen", seats=SEAT)
        await bob.join(old.name)
        await gateway.start()
        await anna.join(new.name)
        assert set(await named(mine, 1)) == {new.name}
        assert await versions(table, 2) == [2]


async def test_what_is_closed_does_not_come_again(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob), anna.follow_mine() as mine:
        first, second = [(await anna.create("sirenen", seats=SEAT)).name for _ in range(2)]
        found = await named(mine, 2)
        found[first].close()
        await bob.join(first)
        await bob.join(second)
        assert await versions(found[second], 2) == [1, 2]
        assert [update.version async for update in found[first]] in ([], [1])


async def test_the_index_forgets_what_is_over_or_never_was(platform: Platform) -> None:
    settings = RedisSettings(redis_url=platform.store.url)
    async with guests(platform, 1) as (anna,), open_log(settings) as log:
        player = raw_id((await anna.me()).name)
        match = await anna.create("ruhe", options=Options(max_seats=1), seats=SEAT)
        await log.holdings.mark(player, bytes(range(16)), 1)
        assert len(await log.holdings.marked(player, 0)) == 2
        async with anna.follow_mine() as mine:
            assert set(await named(mine, 1)) == {match.name}
            await mine.completed()
            assert [found for found, _ in await log.holdings.marked(player, 0)] == [raw_id(match.name)]
            await anna.resign(match.name)
            async with asyncio.timeout(60):
                while await log.holdings.marked(player, 0):  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.05)


async def test_one_client_follows_many_tickets_and_matches_at_once(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob):
        # Options that differ make queues that differ: in one, a player waits once only.
        wishes = [Options(idle_seconds=1000 + number) for number in range(150)]
        waiting = [asyncio.create_task(anna.find_match("sirenen", options=wish)) for wish in wishes]
        made = [await anna.create("sirenen") for _ in range(150)]
        watched = [anna.follow(match.name, stream=number % 2 == 0) for number, match in enumerate(made)]
        firsts = await asyncio.wait_for(asyncio.gather(*map(anext, watched)), 120)
        assert [update.version for update in firsts] == [1] * 150
        assert (await anna.me()).name  # a call finds its way between the streams
        found = [bob.find_match("sirenen", options=wish) for wish in wishes]
        theirs = await asyncio.wait_for(asyncio.gather(*found), 200)
        own = await asyncio.wait_for(asyncio.gather(*waiting), 60)
        assert [joined.match.name for joined in own] == [joined.match.name for joined in theirs]
        await bob.join(made[0].name)
        assert (await asyncio.wait_for(anext(watched[0]), 60)).version == 2


async def test_beyond_a_thousand_the_next_comes_when_there_is_room(platform: Platform) -> None:
    key = await asyncio.to_thread(platform.key, "play")
    at_once, requests = asyncio.Semaphore(32), asyncio.Queue[pb.PlayRequest]()
    failed, seated, left = set[str](), set[str](), ""

    async def create(client: Client) -> str:
        async with at_once:
            return (await client.create("sirenen", seats=SEAT)).name

    async def asked() -> AsyncIterator[pb.PlayRequest]:
        while True:
            yield await requests.get()

    requests.put_nowait(pb.PlayRequest(follow_mine=pb.PlayRequest.FollowMine()))
    bearer = (("authorization", f"Bearer {key}"),)
    async with (
        Client.connect(platform.address, key=key) as host,
        grpc.aio.insecure_channel(platform.address) as channel,
        asyncio.timeout(250),
    ):
        names = await asyncio.gather(*(create(host) for _ in range(1002)))
        async for response in match_service_pb2_grpc.MatchServiceStub(channel).Play(asked(), metadata=bearer):
            kind = response.WhichOneof("item")
            if kind == "failed":
                assert "1000 matches" in response.failed.status.message
                failed.add(response.failed.name)
            elif kind == "seated" and response.seated.seats:
                seated.add(response.seated.name)
            elif kind == "complete" and len(seated) == 1000 and not left:
                assert failed == set(names) - seated
                left = min(seated)
                await host.leave(left)
            if len(seated) == 1001:
                break
        assert len(failed & seated) == 1
