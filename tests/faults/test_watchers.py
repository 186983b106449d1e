"""Watchers in thousands, watchers that do not read, connections that say nothing, and floods: others notice nothing."""

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.client.retry import Patience
from argosy.v1 import match_service_pb2 as pb
from argosy.v1 import match_service_pb2_grpc as match_grpc

from tests.faults.load import PATIENT, check, loaded
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, Process, run_platform

MIB = 1024 * 1024
NARROW = (("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0))
pytestmark = pytest.mark.timeout(600)


def memory_of(process: Process) -> int:
    """Bytes that the process has in memory."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * 4096


@contextlib.asynccontextmanager
async def raw(platform: Platform, client: Client) -> AsyncIterator[tuple["match_grpc.MatchServiceAsyncStub", str]]:
    """A stub on a connection of its own, and the client's authorization."""
    bearer = await client.credentials.bearer(client._calls)
    async with grpc.aio.insecure_channel(platform.address, options=NARROW) as channel:
        yield match_grpc.MatchServiceStub(channel), f"Bearer {bearer}"


async def test_who_asks_and_does_not_read_is_not_listened_to() -> None:
    """Each refusal names what was asked for: without a bound, what waits for this reader would be 100 MB."""
    async with run_platform() as platform, Client.connect(platform.address, guest="Eve") as eve:
        async with raw(platform, eve) as (stub, bearer):
            (gateway,) = platform.gateways
            before = memory_of(gateway)
            call = stub.Play(metadata=(("authorization", bearer),))
            asked = 0
            with contextlib.suppress(TimeoutError, asyncio.InvalidStateError, grpc.aio.AioRpcError):
                for asked in range(2_000):
                    watch = pb.WatchMatchRequest(name=f"{asked:050000}")
                    await asyncio.wait_for(call.write(pb.PlayRequest(follow=pb.PlayRequest.Follow(watch=watch))), 3)
            assert memory_of(gateway) - before < 50 * MIB
            assert asked < 1_999, "everything was read, though nobody reads the answers"
        match = (await eve.create("sirenen")).name  # it goes on serving
        assert (await eve.get(match)).head.version == 1


async def test_stuck_watchers_harm_nobody() -> None:
    async with (
        run_platform() as platform,
        Client.connect(platform.address, guest="Eve", patience=PATIENT) as eve,
        contextlib.AsyncExitStack() as stack,
        loaded(platform, 4) as (load, playing),
    ):
        (gateway,) = platform.gateways
        before = memory_of(gateway)
        for number in range(20):
            stub, bearer = await stack.enter_async_context(raw(platform, eve))
            wanted = pb.Wanted(position=True)
            watch = pb.WatchMatchRequest(name=load.matches[number % 4], after=pb.Head(), wanted=wanted)
            call = stub.WatchMatch(watch, metadata=(("authorization", bearer),))
            stack.callback(call.cancel)
        await playing
        await check(platform, load)
        assert memory_of(gateway) - before < 120 * MIB


async def test_a_gateway_restarts_under_its_watchers(is_long: bool) -> None:
    watchers, matches = (2_000 if is_long else 100), 10
    async with run_platform() as platform, contextlib.AsyncExitStack() as stack:
        ann, bob, eve = [
            await stack.enter_async_context(Client.connect(platform.address, guest=name, patience=PATIENT))
            for name in ("Ann", "Bob", "Eve")
        ]
        played = [await seated_match([ann, bob]) for _ in range(matches)]
        seen: list[list[int]] = [[] for _ in range(watchers)]
        begun = asyncio.Event()

        async def watch(number: int) -> None:
            async for update in eve.follow(played[number % matches]):
                seen[number].append(update.version)
                if all(seen):
                    begun.set()

        async with asyncio.timeout(250), asyncio.TaskGroup() as group:
            for number in range(watchers):
                group.create_task(watch(number))
            await begun.wait()
            await platform.gateways[0].end(signal.SIGKILL)
            await platform.gateways[0].start()
            for match in played:
                await act(ann, bob, match)
                await (ann, bob)[played.index(match) % 2].resign(match)
        for number, versions in enumerate(seen):
            last = (await ann.get(played[number % matches])).head.version if number < matches else len(versions)
            assert versions == list(range(1, last + 1))
            assert len(versions) == len(seen[number % matches])


async def act(ann: Client, bob: Client, match: str) -> None:
    """One legal action of whoever is on turn."""
    seat = (await ann.get(match)).status.turn[0]
    actor = (ann, bob)[seat]
    await actor.play(match, (await actor.list_actions(match))[0].action)


async def test_silent_connections_are_closed_and_floods_refused() -> None:
    async with run_platform() as platform, contextlib.AsyncExitStack() as stack:
        ann, bob, eve = [
            await stack.enter_async_context(Client.connect(platform.address, guest=name, patience=patience))
            for name, patience in (("Ann", PATIENT), ("Bob", PATIENT), ("Eve", Patience(total=0.0)))
        ]
        silent = [await asyncio.open_connection(*platform.address.split(":")) for _ in range(300)]
        for _, writer in silent[:100]:
            writer.write(b"PRI * HTTP/2.0\r\n\r\n")  # half of a greeting
        match = await seated_match([ann, bob])
        flood = asyncio.gather(*(eve.get(match) for _ in range(1_000)), return_exceptions=True)
        played = await play_all([ann, bob], match)
        assert played[0][-1].end is not None
        told = Counter(how(answer) for answer in await flood)
        assert told["RATE_LIMITED"] + told["UNAVAILABLE"], "nothing was refused"
        assert set(told) <= {"Match", "RATE_LIMITED", "UNAVAILABLE"}, told
        for reader, writer in silent:
            async with asyncio.timeout(60):
                while await reader.read(4096):  # a greeting of the server's own may come first
                    pass
            writer.close()


def how(answer: pb.Match | BaseException) -> str:
    """What came of a call; a connection refuses by itself, with UNAVAILABLE, what it cannot hold."""
    if isinstance(answer, ArgosyError):
        return answer.status.name if answer.name == "UNSPECIFIED" else answer.name
    return type(answer).__name__
