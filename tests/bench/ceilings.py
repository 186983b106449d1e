"""Bare ceilings: what streams alone, and appends alone, cost without anything in between."""

import asyncio
import contextlib
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc

from services.kit.log.entries import Append
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests import servers
from tests.bench.accounting import Pids, between, spent
from tests.bench.echo import METHOD
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
        process.send_signal(signal.SIGKILL)
        await process.wait()


async def relay(pid: int, port: int, pairs: int, moves: int) -> dict[str, float]:
    """µs of CPU per move where a move is one message up a stream, and one down each of two; `moves_per_s` beside."""
    done, left = asyncio.Event(), [moves]
    channels = [
        grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=(("grpc.use_local_subchannel_pool", 1),))
        for _ in range(2 * pairs)
    ]
    calls = [_open(channel, str(i // 2)) for i, channel in enumerate(channels)]
    for call in calls:
        await call.wait_for_connection()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_relay_side(calls, i, left, done)) for i in range(len(calls))]
        pids, began = {"echo": [pid]}, time.perf_counter()
        before = spent(pids)
        for call in calls[::2]:
            await call.write(bytes([0]) * _SIZE)
        await done.wait()
        found = _per(moves, began, before, pids)
        for task in tasks:
            task.cancel()
    for channel in channels:
        await channel.close()
    return found


def _open(channel: grpc.aio.Channel, pair: str) -> Any:
    return channel.stream_stream(METHOD)(metadata=(("pair", pair),))


async def _relay_side(calls: list[Any], index: int, left: list[int], done: asyncio.Event) -> None:
    """Answers the other seat's messages with one of its own."""
    own = bytes([index % 2]) * _SIZE
    while True:
        message = await calls[index].read()
        if message[0] != own[0]:
            left[0] -= 1
            if left[0] > 0:
                await calls[index].write(own)
            else:
                done.set()


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
