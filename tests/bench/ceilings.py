"""Bare ceilings: what streams, calls and appends alone cost without anything in between."""

import asyncio
import contextlib
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import grpc

from services.kit.log.entries import Append
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests import servers
from tests.bench.accounting import Pids, between, spent
from tests.bench.echo import ACT, RELAY, WATCH
from tests.platform import ROOT

_SIZE = 600  # bytes, about those of an entry update
_ENTRY = 400


@contextlib.asynccontextmanager
async def serving(module: str) -> AsyncIterator[tuple[int, int]]:
    """A relay in a process of its own: its pid and port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"tests.bench.{module}", stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        yield process.pid, int(await process.stdout.readline())
    finally:
        with contextlib.suppress(ProcessLookupError):  # Ctrl-C has ended it too
            process.kill()
        await process.wait()


async def relay(pid: int, port: int, pairs: int, moves: int) -> dict[str, float]:
    """µs of CPU per move where a move is one message up a stream, and one down each of two; `moves_per_s` beside."""
    async with _connected(port, 2 * pairs) as channels:
        calls = [_stream(channel, i) for i, channel in enumerate(channels)]
        for call in calls:
            await call.wait_for_connection()
        return await _play(pid, [_Side(i, call, call.write) for i, call in enumerate(calls)], moves)


async def unary(pid: int, port: int, pairs: int, moves: int) -> dict[str, float]:
    """The same where a move is a unary call, and one message down each of two streams of the server's."""
    async with _connected(port, 2 * pairs) as channels:
        calls = [_watch(channel, i) for i, channel in enumerate(channels)]
        for call in calls:
            await call.initial_metadata()
        sides = [_Side(i, call, _acting(channels[i], i)) for i, call in enumerate(calls)]
        return await _play(pid, sides, moves)


@contextlib.asynccontextmanager
async def _connected(port: int, count: int) -> AsyncIterator[list[grpc.aio.Channel]]:
    options = (("grpc.use_local_subchannel_pool", 1),)
    channels = [grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) for _ in range(count)]
    try:
        yield channels
    finally:
        await asyncio.gather(*(channel.close() for channel in channels))


def _stream(channel: grpc.aio.Channel, index: int) -> Any:
    return channel.stream_stream(RELAY)(metadata=_of_pair(index))


def _watch(channel: Any, index: int) -> Any:
    return channel.unary_stream(WATCH)(b"", metadata=_of_pair(index))


def _acting(channel: Any, index: int) -> Callable[[bytes], Awaitable[Any]]:
    return partial(channel.unary_unary(ACT), metadata=_of_pair(index))


def _of_pair(index: int) -> tuple[tuple[str, str]]:
    return (("pair", str(index // 2)),)


class _Side:
    """One seat of a pair: hears by `call`, speaks by `send`."""

    def __init__(self, index: int, call: Any, send: Callable[[bytes], Awaitable[Any]]) -> None:
        self._call, self._send, self._own = call, send, bytes([index % 2]) * _SIZE

    async def speak(self) -> None:
        await self._send(self._own)

    async def answer(self, left: list[int], done: asyncio.Event) -> None:
        """Answers the other seat's messages with one of its own, until none are left."""
        while True:
            message = await self._call.read()
            if message[0] != self._own[0]:
                left[0] -= 1
                if left[0] > 0:
                    await self.speak()
                else:
                    done.set()


async def _play(pid: int, sides: Sequence[_Side], moves: int) -> dict[str, float]:
    done, left, pids = asyncio.Event(), [moves], {"echo": [pid]}
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(side.answer(left, done)) for side in sides]
        before, began = spent(pids), time.perf_counter()
        await asyncio.gather(*(side.speak() for side in sides[::2]))
        await done.wait()
        found = _per(moves, began, before, pids)
        for task in tasks:
            task.cancel()
    return found


async def append_loop(matches: int, each: int) -> dict[str, float]:
    """µs of CPU per append where so many histories grow at once, each by one entry after the other."""
    with servers.running() as store:
        async with open_log(RedisSettings(redis_url=store.url)) as log:
            pids, began = {"valkey": [store.pid]}, time.perf_counter()
            before = spent(pids)
            async with asyncio.TaskGroup() as group:
                for _ in range(matches):
                    group.create_task(_grow(log.append, each))
            return _per(matches * each, began, before, pids)


async def _grow(append: Any, entries: int) -> None:
    match, digest = secrets.token_bytes(16), bytes(32)
    for version in range(entries):
        now, new = int(time.time() * 1000), secrets.token_bytes(32)
        await append(Append(match, version, digest, new, bytes(_ENTRY), now, 0))
        digest = new


def _per(count: int, began: float, before: dict[str, float], pids: Pids) -> dict[str, float]:
    seconds, costs = time.perf_counter() - began, between(before, spent(pids))
    return {role: cost / count * 1e6 for role, cost in costs.items()} | {"moves_per_s": count / seconds}
