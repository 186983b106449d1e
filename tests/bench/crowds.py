"""Many who watch, and many matches that lie still: what news costs each watcher, and what a match holds in memory."""

import asyncio
import time
from collections.abc import Sequence

from argosy.v1 import match_service_pb2 as pb
from redis.asyncio import Redis

from tests.bench.accounting import between, resident_bytes, spent
from tests.bench.driving import BARE, Game, Tally
from tests.bench.guests import Guest, guests, seat_matches
from tests.bench.moves import pids_of
from tests.bench.ways import Stream
from tests.platform import Platform

_PAIRS = 16


async def fan_out(running: Platform, watchers: int, moves: int) -> dict[str, float]:
    """One match between two, and so many who follow it over streams of their own.

    µs of the gateway's CPU per news, and ms from the action sent until half and all of the watchers know.
    """
    async with guests([running.address], watchers + 2) as everybody:
        first, second, *crowd = everybody
        names = (await seat_matches([(first, second)], 1))[0]
        tally, two = Tally(moves), (Stream(first, 0), Stream(second, 1))
        game = Game(names[0], two, BARE, tally)
        for stream in two:
            await stream.follow([game], BARE)
        heard: dict[int, list[float]] = {}
        calls = [await _follow(guest, names[0]) for guest in crowd]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(stream.run()) for stream in two]
            tasks += [group.create_task(_listen(call, heard)) for call in calls]
            await asyncio.sleep(1 + watchers / 200)
            heard.clear()
            before = spent(pids_of(running))
            await game.begin()
            await tally.done.wait()
            await asyncio.sleep(1 + watchers / 500)
            costs = between(before, spent(pids_of(running)))
            for task in tasks:
                task.cancel()
    spans = sorted(max(times) - min(times) for times in heard.values() if len(times) == watchers)
    news = sum(map(len, heard.values()))
    return {
        "news": float(news),
        "gateway_us_per_news": costs["gateway"] / max(news, 1) * 1e6,
        "spread_ms": spans[len(spans) // 2] * 1000 if spans else float("nan"),
    }


async def _follow(guest: Guest, name: str) -> object:
    call = guest.matches.Play(metadata=guest.metadata)
    watch = pb.WatchMatchRequest(name=name, after=pb.Head(version=0))
    await call.write(pb.PlayRequest(follow=pb.PlayRequest.Follow(watch=watch)))
    return call


async def _listen(call: object, heard: dict[int, list[float]]) -> None:
    async for item in call:  # type: ignore[attr-defined]  # grpc.aio's call, generic in the stubs only
        version = item.followed.watch.update.entry.version
        if version:
            heard.setdefault(version, []).append(time.perf_counter())


async def weigh(running: Platform, counts: Sequence[int]) -> list[dict[str, float]]:
    """Bytes that the store and the gateway hold for each live match, at these numbers of matches."""
    found, made = list[dict[str, float]](), 0
    client = Redis.from_url(running.store.url)
    gateway = running.gateways[0].pid
    async with guests([running.address], 2 * _PAIRS) as everybody:
        pairs = list(zip(everybody[::2], everybody[1::2], strict=True))
        await seat_matches(pairs, 4)
        store_before, gateway_before = await _used(client), resident_bytes(gateway)
        for count in counts:
            await seat_matches(pairs, (count - made) // _PAIRS)
            made += (count - made) // _PAIRS * _PAIRS
            store, own = await _used(client) - store_before, resident_bytes(gateway) - gateway_before
            found.append({"matches": float(made), "store": store / made, "gateway": own / made})
    await client.aclose()
    return found


async def _used(client: Redis) -> int:
    info = await client.info("memory")
    return int(info["used_memory"])
