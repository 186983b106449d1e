"""Hosted bots: seats that the platform plays, by a process that may come and go."""

import asyncio
import signal
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.v1 import bot_service_pb2 as bot_pb
from argosy.v1 import bot_service_pb2_grpc as bot_grpc
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests.integration.players import play
from tests.platform import Platform, run_platform


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform() as running:
        yield running


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def create(client: Client, *policies: str) -> str:
    """A match whose seats are the client's (an empty policy) or bots'."""
    options = entry_pb2.MatchOptions(min_seats=len(policies), max_seats=len(policies))
    seats = [pb.SeatRequest(seat=seat, bot_policy=policy) for seat, policy in enumerate(policies)]
    return (await client.create("sirenen", options=options, seats=seats)).name


async def ended(client: Client, match: str) -> entry_pb2.End:
    """Waits for the end; every entry is checked by the way."""
    async for update in client.follow(match):
        if update.end is not None:
            return update.end
    raise AssertionError("no end")


async def test_a_person_plays_against_a_bot_that_is_killed_meanwhile(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="Ann") as ann:
        bots = await platform.start_bots()
        match = await create(ann, "", "sensible")
        playing = asyncio.create_task(play(ann, match, 0, seed=1))
        async for update in ann.follow(match, seat=0, stream=False):
            if update.version >= 10:
                break
        await bots.end(signal.SIGKILL)
        stood = (await ann.get(match)).head.version
        bots = await platform.start_bots()
        updates = await asyncio.wait_for(playing, 60)
        assert await bots.end() == 0
        acted = {update.part.seat for update in updates if update.part and update.part.HasField("seat")}
        assert acted == {0, 1}
        assert updates[-1].end is not None
        assert updates[-1].end.outcome == entry_pb2.End.OUTCOME_RESULT
        assert updates[-1].version > stood


async def test_two_workers_play_a_match_of_bots_alone_and_nobody_acts_twice(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="Ann") as ann:
        workers = [await platform.start_bots(), await platform.start_bots()]
        matches = [await create(ann, "random", "sensible") for _ in range(3)]
        ends = await asyncio.wait_for(asyncio.gather(*(ended(ann, match) for match in matches)), 90)
        assert [end.outcome for end in ends] == [entry_pb2.End.OUTCOME_RESULT] * 3
        for worker in workers:
            assert await worker.end() == 0
        seats = (await ann.get(matches[0])).seats
        assert [(seat.player, seat.bot_policy) for seat in seats] == [("", "random"), ("", "sensible")]


async def test_a_match_that_began_while_nobody_played_is_found_later(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="Ann") as ann:
        match = await create(ann, "random", "random")
        await asyncio.sleep(0.5)
        assert (await ann.get(match)).head.version == 1
        bots = await platform.start_bots()
        assert (await asyncio.wait_for(ended(ann, match), 60)).scores
        await bots.end()
        async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
            async with asyncio.timeout(60):
                while await log.marked_bots(0):  # noqa: ASYNC110  # the store tells nobody
                    await asyncio.sleep(0.1)


@pytest.mark.parametrize("bearer", ["", "bots_", "bots_wrong" + "0" * 60, "token"])
async def test_only_the_secret_opens_the_seats_of_bots(platform: Platform, bearer: str) -> None:
    async with Client.connect(platform.address, guest="Ann") as ann, grpc.aio.insecure_channel(platform.address) as c:
        shown = await ann.credentials.bearer(ann._calls) if bearer == "token" else bearer
        call = bot_grpc.BotServiceStub(c).WatchBotSeats(
            bot_pb.WatchBotSeatsRequest(), metadata=(("authorization", f"Bearer {shown}"),), timeout=60
        )
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call.read()
        expected = grpc.StatusCode.PERMISSION_DENIED if bearer == "token" else grpc.StatusCode.UNAUTHENTICATED
        assert refused.value.code() is expected
