"""kill -9 of each process at named points: validated, append sent, appended, before the reply.

An accepted request is applied once, and its retry gets the answer; whoever watches elsewhere misses nothing.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from argosy.client import Client, Joined

from tests.faults import test_matchmaking as seating
from tests.faults import test_replay as keeping
from tests.faults.load import PATIENT
from tests.faults.oracles import audited
from tests.faults.wire import ACKNOWLEDGE, APPEND, CLAIM, HEAR, RETIRE, SETTLE, Address, Point, When, Wire, listening
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, Process, run_platform

ASKED, DECIDED = (Point(b"", when, least=200) for when in (When.SENT, When.ANSWERED))
STEPS = [Point(APPEND, when) for when in When]
pytestmark = pytest.mark.timeout(600)


@dataclass(frozen=True)
class Wired:
    """A platform whose first gateway is reached by, and reaches others by, wires; and clients of its."""

    platform: Platform
    store: Wire
    rules: Wire
    clients: Sequence[Client]


@contextlib.asynccontextmanager
async def wired() -> AsyncIterator[Wired]:
    """The first gateway has the wires; the second is there to watch."""
    async with contextlib.AsyncExitStack() as stack:
        platform = await stack.enter_async_context(run_platform(gateways=0))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="wire-")))
        told = Wire(lambda: place_of(platform.gateways[0]))
        store, rules = Wire(lambda: socket_of(platform), told), Wire(lambda: place_of(platform.rules[0]))
        plain = dict(platform.of_gateways)
        platform.of_gateways["ARGOSY_REDIS_URL"] = await stack.enter_async_context(listening(store, folder / "store"))
        rules_address = await stack.enter_async_context(listening(rules))
        platform.of_gateways["ARGOSY_RULES"] = f"sirenen={rules_address}"
        await platform.add_gateway()
        platform.of_gateways.clear()
        platform.of_gateways.update(plain)
        await platform.add_gateway()
        public = await stack.enter_async_context(listening(told))
        clients = [
            await stack.enter_async_context(Client.connect(public, guest=name, patience=PATIENT))
            for name in ("Ann", "Bob")
        ]
        yield Wired(platform, store, rules, clients)


def place_of(process: Process) -> Address:
    return ("127.0.0.1", process.port)


def socket_of(platform: Platform) -> Address:
    return Path(platform.store.url.removeprefix("unix://").partition("?")[0])


async def killed_at(
    at: Wired, wire: Wire, point: Point, kill: Callable[[], None], again: Callable[[], Awaitable[object]]
) -> None:
    """One action of one match, the kill, and the match to its end, seen from elsewhere."""
    match = await seated_match(at.clients)
    shown = await at.clients[0].get(match)
    actor = at.clients[shown.status.turn[0]]
    action = (await actor.list_actions(match))[0].action
    async with Client.connect(at.platform.gateways[1].address, guest="Eve", patience=PATIENT) as eve:
        watching = asyncio.create_task(versions(eve, match))
        wire.arm(point, kill)
        playing = asyncio.create_task(actor.play(match, action, request_id=f"killed-{match[-20:]}"))
        await wire.struck()
        await again()
        answer = await playing
        assert answer.update.entry.version == shown.head.version + 1, point
        once_more = await actor.play(match, action, request_id=f"killed-{match[-20:]}")
        assert once_more.update.entry == answer.update.entry, point
        await play_all(at.clients, match)
        entries = (await audited(at.platform, "sirenen", [match]))[match]
        assert entries[answer.update.entry.version - 1].digest == answer.update.entry.digest, point
        assert await watching == list(range(1, len(entries) + 1)), point


async def versions(client: Client, match: str) -> list[int]:
    return [update.version async for update in client.follow(match)]


async def test_a_gateway_is_killed_at_each_step_of_an_action() -> None:
    async with wired() as at:
        gateway = at.platform.gateways[0]

        async def again() -> None:
            await gateway.end(signal.SIGKILL)
            await gateway.start()

        for wire, point in [(at.rules, ASKED), (at.rules, DECIDED), *((at.store, point) for point in STEPS)]:
            await killed_at(at, wire, point, lambda: os.kill(gateway.pid, signal.SIGKILL), again)


async def test_the_rules_are_killed_while_they_decide() -> None:
    async with wired() as at:
        (rules,) = at.platform.rules

        async def again() -> None:
            await rules.end(signal.SIGKILL)
            await rules.start()

        for point in (ASKED, DECIDED):
            await killed_at(at, at.rules, point, lambda: os.kill(rules.pid, signal.SIGKILL), again)


async def test_the_store_is_killed_with_an_append_in_its_hands() -> None:
    async with wired() as at:
        store = at.platform.store

        async def again() -> None:
            await asyncio.to_thread(store.kill, signal.SIGKILL)
            await asyncio.to_thread(store.start)

        for when in (When.BEFORE, When.SENT, When.ANSWERED):
            await killed_at(at, at.store, Point(APPEND, when), lambda: os.kill(store.pid, signal.SIGKILL), again)


@contextlib.asynccontextmanager
async def store_wired(variables: dict[str, str], platform: Platform) -> AsyncIterator[Wire]:
    """A wire to the store for the process that gets these variables."""
    wire = Wire(lambda: socket_of(platform))
    with TemporaryDirectory(prefix="wire-") as folder:
        async with listening(wire, Path(folder) / "store") as url:
            variables["ARGOSY_REDIS_URL"] = url
            yield wire


async def kill(wire: Wire, point: Point, victim: Process, work: Awaitable[object]) -> None:
    """Kills the victim while the work is done, and starts it again."""
    wire.arm(point, lambda: os.kill(victim.pid, signal.SIGKILL))
    working = asyncio.ensure_future(work)
    await wire.struck()
    await victim.end(signal.SIGKILL)
    await victim.start()
    await working


async def test_matchmaking_is_killed_at_each_step_of_making_a_match(is_long: bool) -> None:
    messages = CLAIM, APPEND, SETTLE, HEAR, ACKNOWLEDGE
    steps = (When.BEFORE, When.SENT, When.ANSWERED) if is_long else (When.ANSWERED,)
    async with (
        run_platform(gateways=0, seating=seating.SEATING) as platform,
        store_wired(platform.of_matchmaking, platform) as wire,
    ):
        victim = await platform.add_matchmaking()
        await platform.add_gateway()
        async with seating.guests(platform, 2) as clients, seating.inside(platform) as (log, _, queues):
            found = list[Joined]()
            for point in (Point(message, when) for message in messages for when in steps):
                work = (seating.find_and_resign(client, 1, found) for client in clients)
                await kill(wire, point, victim, asyncio.gather(*work))
            await seating.check(log, queues, found)


async def test_replay_is_killed_at_each_step_of_keeping_a_match() -> None:
    points = [Point(ACKNOWLEDGE, when) for when in (When.BEFORE, When.ANSWERED)]
    points += [Point(RETIRE, when) for when in (When.BEFORE, When.SENT, When.ANSWERED)]
    played = keeping.Played()
    async with (
        run_platform(gateways=0, keeping={"ARGOSY_REPLAY_KEEP_S": "0"}) as platform,
        store_wired(platform.of_replay, platform) as wire,
    ):
        (platform.folder / "anew").mkdir()
        victim = await platform.add_replay()
        await platform.add_gateway()
        async with seating.guests(platform, 2) as clients:
            for point in points:
                await kill(wire, point, victim, play_one(clients, played))
        await keeping.until_kept(platform, played)
        await keeping.check(platform, played)


async def play_one(clients: Sequence[Client], played: keeping.Played) -> None:
    """Plays a match to its end, and notes its last digest."""
    name = await seated_match(clients)
    played[name.removeprefix("matches/")] = (await play_all(clients, name))[0][-1].digest
