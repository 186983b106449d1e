"""A whole platform on one machine: the embedded store and every process, from one call."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from deploy.local import places, processes, valkey
from deploy.local.children import Child, Process, Say
from deploy.local.processes import Addresses, Platform
from services.kit import startup

_TIDY_S: Final = 10.0


async def up(
    platform: Platform, *, say: Say | None = None, on_ready: Callable[[Addresses], None] | None = None
) -> None:
    """Runs the platform until SIGINT or SIGTERM; a later call on the same data goes on with every match.

    `on_ready` is told the addresses once everything serves; they also stand in `addresses.json` of the data directory.
    Raises CannotStart (a port or directory in use, a process that cannot start), when everything is stopped again.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    try:
        async with running(platform, say=say, stopping=stopping) as addresses:
            if addresses and on_ready:
                on_ready(addresses)
            await stopping.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


@contextlib.asynccontextmanager
async def running(
    platform: Platform, *, say: Say | None = None, stopping: asyncio.Event | None = None
) -> AsyncIterator[Addresses | None]:
    """The platform, serving, for as long as the context lasts; stopped in order at its end.

    None when `stopping` was set before everything served. Raises CannotStart; what else is raised within leaves as a
    group.
    """
    say = say or _say
    platform.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    platform = replace(platform, data=platform.data.resolve())
    with (
        _store(platform) as store,
        places.socket_folder(platform.data) as sockets,
        places.held_address(platform.listen, platform.gateways) as listen,
    ):
        addresses, stages = processes.plan(platform, store, sockets, listen)
        logs = platform.data / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        family, written = _Family(logs, say), None
        try:
            async with _reason_alone(), asyncio.TaskGroup() as group:
                keeping = group.create_task(family.run(stages, stopping or asyncio.Event()))
                try:
                    serves = await family.serving()
                    written = addresses.write(platform.data) if serves else None
                    yield addresses if serves else None
                finally:
                    if written:
                        written.unlink(missing_ok=True)
                    keeping.cancel()
        finally:
            await family.stop()


class _Family:
    """All children of a platform."""

    def __init__(self, logs: Path, say: Say) -> None:
        self._logs, self._say = logs, say
        self._stages: list[list[Child]] = []
        self._serving: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def serving(self) -> bool:
        """Waits until everything serves (true) or is to stop (false)."""
        return await self._serving

    async def run(self, stages: tuple[tuple[Process, ...], ...], stopping: asyncio.Event) -> None:
        """Starts the stages one after another and keeps every child running."""
        async with asyncio.TaskGroup() as group:
            for stage in stages:
                if stopping.is_set():
                    break
                children = [Child(process, self._logs, self._say) for process in stage]
                self._stages.append(children)
                await self._start(children, stopping)
                for child in children:
                    group.create_task(child.keep())
            self._serving.set_result(not stopping.is_set())
            group.create_task(self._tidy())

    async def stop(self) -> None:
        """Stops the stages, the last started first."""
        for children in reversed(self._stages):
            await asyncio.gather(*(child.stop() for child in children))

    async def _start(self, children: list[Child], stopping: asyncio.Event) -> None:
        """Starts children together; gives up, without an error, when everything is to stop."""
        async with asyncio.TaskGroup() as group:
            starts = [group.create_task(child.start()) for child in children]
            giving_up = group.create_task(_cancel_when(stopping, starts))
            await asyncio.wait(starts)
            giving_up.cancel()

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(_TIDY_S)
            for child in (child for children in self._stages for child in children):
                await asyncio.to_thread(child.trim_log)


@contextlib.asynccontextmanager
async def _reason_alone() -> AsyncIterator[None]:
    """Raises a CannotStart by itself that comes as the only one of a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise startup.first_reason(group) or group from None


async def _cancel_when(stopping: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
    await stopping.wait()
    for task in tasks:
        task.cancel()


@contextlib.contextmanager
def _store(platform: Platform) -> Iterator[valkey.Launch | None]:
    """The store that is ours to run, its directory locked; None where another one is named."""
    if "ARGOSY_REDIS_URL" in platform.environ:
        yield None
        return
    launch = valkey.prepare(platform.data / "valkey", maxmemory=platform.maxmemory)
    try:
        yield launch
    finally:
        launch.release()


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
