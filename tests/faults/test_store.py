"""The store full, without its functions, or with histories that somebody damaged: refused and told, never mended."""

import asyncio
import os
import resource
import signal
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.client.retry import Patience
from redis.asyncio import Redis

from deploy.local import valkey
from services.kit.log import ids
from services.kit.log.partitions import keys_of
from tests.faults.load import PATIENT, check, loaded
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform

MATCHES = 6
AT_ONCE = Patience(total=0.0, answer=60.0)
pytestmark = pytest.mark.timeout(600)


async def ask(platform: Platform, *command: Any) -> Any:
    """What the store answers."""
    async with Redis.from_url(platform.store.url) as client:
        return await client.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py leaves it so


async def test_the_functions_are_flushed() -> None:
    async with run_platform(gateways=2) as platform, loaded(platform, MATCHES) as (load, playing):
        for _ in range(4):
            await asyncio.sleep(0.3)
            await ask(platform, "FUNCTION", "FLUSH")
        await playing
        await check(platform, load)


async def test_memory_runs_out_and_comes_back() -> None:
    async with run_platform(gateways=2) as platform, loaded(platform, MATCHES) as (load, playing):
        await asyncio.sleep(0.4)
        await ask(platform, "CONFIG", "SET", "maxmemory", "1")
        async with Client.connect(platform.address, guest="Late", patience=AT_ONCE) as late:
            with pytest.raises(ArgosyError) as refused:
                await late.create("sirenen")
        assert refused.value.name == "STORAGE_LOW"
        assert refused.value.retry_after
        await asyncio.sleep(0.5)
        stood = await ask(platform, "INFO", "memory")
        assert stood["used_memory"] > 1
        await ask(platform, "CONFIG", "SET", "maxmemory", "0")
        await playing
        await check(platform, load)


@pytest.fixture
def patient_valkey(tmp_path: Path) -> str:
    """The embedded server, which takes a file that may not grow as an error and not as its end."""
    script = tmp_path / "valkey-server"
    script.write_text(f"#!/bin/sh\ntrap '' XFSZ\nexec {valkey._wheels_program()} \"$@\"\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


async def test_the_disk_is_full_and_is_not_any_more(patient_valkey: str) -> None:
    """Under `appendfsync always` the server ends at a write that fails; whoever watches over it starts it again."""
    async with (
        run_platform(gateways=2, store_program=patient_valkey) as platform,
        loaded(platform, MATCHES) as (load, playing),
    ):
        await asyncio.sleep(0.4)
        (log,) = (platform.store.folder / "appendonlydir").glob("*.incr.aof")
        full = log.stat().st_size + 3_000
        resource.prlimit(platform.store.pid, resource.RLIMIT_FSIZE, (full, full))
        assert await asyncio.to_thread(platform.store.wait) == 1
        async with Client.connect(platform.address, guest="Late", patience=AT_ONCE) as late:
            with pytest.raises(ArgosyError) as refused:
                await late.create("sirenen")
        assert refused.value.name in ("STORAGE_UNAVAILABLE", "UNCONFIRMED")
        await asyncio.to_thread(platform.store.start)
        await playing
        await check(platform, load)


@asynccontextmanager
async def begun(platform: Platform, count: int = 2) -> AsyncIterator[tuple[list[Client], list[str]]]:
    """Two clients at the first gateway and matches of theirs, each with one action played."""
    names = ("Ann", "Bob")
    ann, bob = (Client.connect(platform.address, guest=name, patience=PATIENT) for name in names)
    async with ann, bob:
        clients = [ann, bob]
        matches = [await seated_match(clients) for _ in range(count)]
        for match in matches:
            await act(clients, match)
        yield clients, matches


async def act(clients: list[Client], match: str) -> None:
    """One legal action of whoever is on turn."""
    seat = (await clients[0].get(match, 0)).status.turn[0]
    legal = await clients[seat].list_actions(match, seat)
    await clients[seat].play(match, legal[0].action, seat=seat)


def history(match: str) -> str:
    return keys_of(ids.from_text(match.removeprefix("matches/"))).history


async def refusal(clients: list[Client], match: str) -> str:
    """How an action is refused."""
    with pytest.raises(ArgosyError) as refused:
        await act(clients, match)
    return refused.value.name


@pytest.mark.parametrize(
    "damage",
    [("XADD", "{}", "5-1", "h", "x" * 80, "e", "y"), ("XADD", "{}", "0-9", "h", "x" * 80, "e", "y"), ("DEL", "{}")],
    ids=["stray", "gap", "deleted"],
)
async def test_a_history_that_somebody_changed_is_frozen(damage: tuple[str, ...]) -> None:
    async with run_platform(gateways=2) as platform, begun(platform) as (clients, (spoilt, sound)):
        shown = await clients[0].get(spoilt, 0)
        legal = await clients[shown.status.turn[0]].list_actions(spoilt)
        await ask(platform, *(word.format(history(spoilt)) for word in damage))
        before = await ask(platform, "XRANGE", history(spoilt), "-", "+")
        with pytest.raises(ArgosyError) as refused:
            await clients[shown.status.turn[0]].play(spoilt, legal[0].action)
        assert refused.value.name == "MATCH_FROZEN"
        await platform.gateways[0].end(signal.SIGKILL)  # who comes anew finds it so as well
        await platform.gateways[0].start()
        for _ in range(2):
            assert await refusal(clients, spoilt) == "MATCH_FROZEN"
        assert await ask(platform, "XRANGE", history(spoilt), "-", "+") == before
        played = await play_all(clients, sound)
        assert played[0][-1].end is not None


async def test_a_flipped_byte_in_the_file_freezes_its_match_alone() -> None:
    async with run_platform() as platform, begun(platform) as (clients, (spoilt, sound)):
        entries = await ask(platform, "XRANGE", history(spoilt), "-", "+")
        fields = entries[1][1]
        body: bytes = fields[b"e"] if isinstance(fields, dict) else fields[-1]
        platform.store.kill(signal.SIGKILL)
        (log,) = (platform.store.folder / "appendonlydir").glob("*.incr.aof")
        content = log.read_bytes()
        at = content.index(body) + len(body) // 2
        log.write_bytes(content[:at] + bytes((content[at] ^ 1,)) + content[at + 1 :])
        await asyncio.to_thread(platform.store.start)
        await platform.gateways[0].end(signal.SIGKILL)
        await platform.gateways[0].start()
        assert await refusal(clients, spoilt) == "MATCH_FROZEN"
        played = await play_all(clients, sound)
        assert played[0][-1].end is not None


async def test_a_file_that_lost_its_end_is_no_continuation() -> None:
    """An acknowledged entry is gone: who holds it is told so, and nothing is decided anew in its place."""
    async with run_platform(gateways=2) as platform, begun(platform) as (clients, (sound, spoilt)):
        held = (await clients[0].get(spoilt, 0)).head
        platform.store.kill(signal.SIGKILL)
        (log,) = (platform.store.folder / "appendonlydir").glob("*.incr.aof")
        content = log.read_bytes()
        log.write_bytes(content[: content.rindex(b"*1\r\n$5\r\nMULTI\r\n")])
        await asyncio.to_thread(platform.store.start)
        stands = await ask(platform, "XRANGE", history(spoilt), "-", "+")
        assert len(stands) == held.version - 1
        async with Client.connect(platform.gateways[1].address, guest="Eve", patience=PATIENT) as eve:
            with pytest.raises(ArgosyError) as diverged:  # a gateway that knows nothing of it
                await anext(eve.follow(spoilt, after=held))
            assert diverged.value.name == "HISTORY_DIVERGED"
            assert await refusal(clients, spoilt) == "MATCH_FROZEN"  # the one that acknowledged it
        assert await ask(platform, "XRANGE", history(spoilt), "-", "+") == stands
        played = await play_all(clients, sound)
        assert played[0][-1].end is not None


async def test_zeros_at_the_end_of_the_file_are_told_and_nothing_is_lost() -> None:
    """As after a power loss on some file systems: the server does not guess, and without them has everything."""
    async with run_platform(gateways=2) as platform, loaded(platform, MATCHES) as (load, playing):
        await asyncio.sleep(0.4)
        platform.store.kill(signal.SIGKILL)
        (log,) = (platform.store.folder / "appendonlydir").glob("*.incr.aof")
        size = log.stat().st_size
        with log.open("ab") as file:
            file.write(bytes(4096))
        with pytest.raises(AssertionError, match="Bad file format reading the append only file"):
            await asyncio.to_thread(platform.store.start)
        platform.store.wait()
        os.truncate(log, size)
        await asyncio.to_thread(platform.store.start)
        await playing
        await check(platform, load)
