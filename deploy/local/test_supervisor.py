"""A whole platform, its processes killed and its directory and port contested."""

import asyncio
import json
import os
import signal
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis

from deploy.local import places, processes, valkey
from deploy.local.children import Child, Process
from deploy.local.processes import Platform
from deploy.local.supervisor import running, up
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.kit.startup import CannotStart

GAMES = ("sirenen",)
ROOT = Path(__file__).parents[2]


def local(folder: Path, **environ: str) -> Platform:
    return Platform(folder, "127.0.0.1:0", games=GAMES, maxmemory=2**28, environ={**environ, "ARGOSY_LOG_FORM": "json"})


async def test_everything_serves_and_starts_again_on_the_same_data(tmp_path: Path) -> None:
    for _ in range(2):
        async with running(local(tmp_path), say=print) as addresses:
            assert addresses
            assert await processes.is_serving(addresses.gateway)
            assert await processes.is_serving(addresses.rules[GAMES[0]])
            written = json.loads((tmp_path / "addresses.json").read_text())
            assert written["gateway"] == addresses.gateway
        assert not await processes.is_serving(addresses.gateway)
        assert not (tmp_path / "addresses.json").exists()
    assert "killed" not in (tmp_path / "logs" / "valkey.log").read_text()


async def test_a_directory_in_use_and_a_port_in_use(tmp_path: Path) -> None:
    async with running(local(tmp_path / "one"), say=print) as addresses:
        assert addresses
        with pytest.raises(CannotStart, match="is in use by another process"):
            await up(local(tmp_path / "one"), say=print)
        with pytest.raises(CannotStart, match=f"cannot listen on {addresses.gateway}"):
            await up(Platform(tmp_path / "two", addresses.gateway, games=GAMES), say=print)


async def test_an_unknown_variable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="unknown setting ARGOSY_LOG_LEVLE; did you mean ARGOSY_LOG_LEVEL"):
        await up(local(tmp_path, ARGOSY_LOG_LEVLE="debug"), say=print)


async def test_a_store_elsewhere_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"(gateway|matchmaking): no store answers") as told:
        await up(local(tmp_path, ARGOSY_REDIS_URL=f"unix://{tmp_path}/nothing"), say=print)
    assert "\n" not in str(told.value)


async def test_an_end_while_starting_stops_what_was_started(tmp_path: Path) -> None:
    stopping = asyncio.Event()
    stopping.set()
    async with running(local(tmp_path), say=print, stopping=stopping) as addresses:
        assert addresses is None


async def test_a_signal_ends_it_in_order(tmp_path: Path) -> None:
    await up(local(tmp_path), say=print, on_ready=lambda _: os.kill(os.getpid(), signal.SIGTERM))
    assert "bye bye" in (tmp_path / "logs" / "valkey.log").read_text()
    assert "stopped" in (tmp_path / "logs" / "gateway.log").read_text()


def test_an_address_that_makes_no_sense() -> None:
    for nonsense in ("here", "host:port", ":", "127.0.0.1:99999", "127.0.0.1:" + "9" * 5000):
        with pytest.raises(CannotStart):
            places.free_address(nonsense)


def test_a_taken_port_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CannotStart, match="port is taken"):
            places.free_address(f"127.0.0.1:{taken.getsockname()[1]}")


def script(folder: Path, code: str) -> Process:
    """A process whose readiness is a file that it writes."""
    mark = folder / "ready"

    async def is_ready() -> bool:
        return mark.exists()

    environ = {"MARK": str(mark)}
    return Process("toy", (sys.executable, "-c", "import os, time, pathlib\n" + code), is_ready, environ, grace_s=0.5)


READY = "pathlib.Path(os.environ['MARK']).touch()\n"


async def test_a_child_that_crashes_starts_again(tmp_path: Path) -> None:
    said: list[str] = []
    child = Child(script(tmp_path, READY + "time.sleep(60)"), tmp_path, said.append)
    await child.start()
    first = child.pid
    assert first
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(child.keep())
        os.kill(first, signal.SIGKILL)
        async with asyncio.timeout(60):
            while child.pid == first:  # noqa: ASYNC110 - the child is another process
                await asyncio.sleep(0.02)
        await child.stop()
        await keeping
    assert len(said) == 1
    assert "toy ended (signal SIGKILL) and starts again" in said[0]


async def test_a_child_that_does_not_end_is_killed(tmp_path: Path) -> None:
    said: list[str] = []
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    child = Child(script(tmp_path, deaf + READY + "time.sleep(60)"), tmp_path, said.append)
    await child.start()
    await child.stop()
    assert said == ["toy did not end within 0.5 s and is killed"]


async def test_the_last_words_of_a_child_that_cannot_start(tmp_path: Path) -> None:
    code = "import sys; print('settings', file=sys.stderr); print('no key: make one', file=sys.stderr); sys.exit(2)"
    child = Child(script(tmp_path, code), tmp_path, print)
    with pytest.raises(CannotStart, match="toy: no key: make one"):
        await child.start()


async def test_a_child_that_crashes_at_the_start_names_its_log(tmp_path: Path) -> None:
    child = Child(script(tmp_path, "sys.exit(1)"), tmp_path, print)
    with pytest.raises(CannotStart, match=r"toy ended while starting \(exit code 1\): .*see .*toy.log"):
        await child.start()


async def test_a_large_log_is_moved_aside(tmp_path: Path) -> None:
    child = Child(script(tmp_path, READY + "time.sleep(60)"), tmp_path, print)
    await child.start()
    with (tmp_path / "toy.log").open("ab") as log:
        log.truncate(65 * 1024 * 1024)
    child.trim_log()
    assert (tmp_path / "toy.log").stat().st_size == 0
    assert (tmp_path / "toy.log.1").stat().st_size > 64 * 1024 * 1024
    await child.stop()


async def test_a_killed_store_starts_again_and_keeps_what_it_has(tmp_path: Path) -> None:
    said: list[str] = []
    async with running(local(tmp_path), say=said.append) as addresses:
        assert addresses
        async with Redis.from_url(addresses.redis) as client:
            await client.set("kept", "yes")
            first = (await client.info("server"))["process_id"]
            os.kill(first, signal.SIGKILL)
        async with asyncio.timeout(60), open_log(RedisSettings(redis_url=await answering(addresses.redis))) as log:
            assert await log.servers.of(0).client.get("kept") == b"yes"
            assert (await log.servers.of(0).client.info("server"))["process_id"] != first
        assert await processes.is_serving(addresses.gateway)
    assert "valkey ended (signal SIGKILL)" in said[0]


async def answering(url: str) -> str:
    """The address, once a store answers there."""
    while not await valkey.answer(Path(url.removeprefix("unix://"))):  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.05)
    return url


async def test_a_killed_supervisor_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from deploy.local.processes import Platform\n"
        "from deploy.local.supervisor import up\n"
        "platform = Platform(pathlib.Path(sys.argv[1]), sys.argv[2], games=(sys.argv[3],))\n"
        "asyncio.run(up(platform, on_ready=lambda _: print('ready', flush=True)))\n"
    )
    listen = places.free_address("127.0.0.1:0")
    arguments = (code, str(tmp_path), listen, *GAMES)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
    first = await asyncio.create_subprocess_exec(
        sys.executable, "-c", *arguments, stdout=asyncio.subprocess.PIPE, env=environ, cwd=ROOT
    )
    assert first.stdout
    assert await first.stdout.readline() == b"ready\n"
    first.kill()
    await first.wait()
    platform = replace(local(tmp_path), listen=listen)
    async with running(platform, say=print) as addresses:
        assert addresses
        assert addresses.gateway == listen
