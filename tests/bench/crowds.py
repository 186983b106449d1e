"""Many who watch: what news costs each watcher, and how long after an entry's record_time it comes."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.bench.accounting import between, spent
from tests.bench.driving import BARE, Game, Tally
from tests.bench.guests import Guest, guests, seat_matches
from tests.bench.moves import percentiles, pids_of
from tests.bench.ways import Stream
from tests.platform import Platform

_PAIRS = 32


class Heard:
    """News of all watchers, once they are counted: how long each took, in ms."""

    def __init__(self) -> None:
        self.delays, self.is_counting = list[float](), False

    def take(self, update: pb.EntryUpdate) -> None:
        """Notes how long ago the entry was recorded: the system's clock, which all processes here share."""
        if self.is_counting:
            recorded_ms = entry_pb2.EntryPart.FromString(update.entry.public_part).record_time_ms
            self.delays.append(max(time.time() * 1000 - recorded_ms, 0.0))

    def figures(self, gateway_s: float) -> dict[str, float]:
        """What one round gave."""
        p50, _, p99 = percentiles(self.delays)
        news = len(self.delays)
        return {"news": news, "gateway_us_per_news": gateway_s / news * 1e6, "p50_ms": p50, "p99_ms": p99}


class Hearing(Stream):
    """A guest's Play stream that notes when news came."""

    def __init__(self, guest: Guest, seat: int, heard: Heard) -> None:
        super().__init__(guest, seat)
        self._heard = heard

    async def take(self, game: Game, update: pb.EntryUpdate) -> None:
        self._heard.take(update)
        await super().take(game, update)


async def fan_out(running: Platform, everybody: Sequence[Guest], moves: int) -> dict[str, float]:
    """One match between the first two, which all others follow over streams of their own."""
    first, second, *crowd = everybody
    names = (await seat_matches([(first, second)], 1))[0]
    tally, two, heard = Tally(moves), (Stream(first, 0), Stream(second, 1)), Heard()
    game = Game(names[0], two, BARE, tally)
    for stream in two:
        await stream.follow([game], BARE)
    calls = [await _follow(guest, names[0]) for guest in crowd]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(stream.run()) for stream in two]
        tasks += [group.create_task(_listen(call, heard)) for call in calls]
        await asyncio.sleep(1 + len(crowd) / 200)
        before, heard.is_counting = spent(pids_of(running)), True
        await game.begin()
        await tally.done.wait()
        await asyncio.sleep(1 + len(crowd) / 500)
        costs = between(before, spent(pids_of(running)))
        for task in tasks:
            task.cancel()
    return heard.figures(costs["gateway"])


async def fan_in_pairs(running: Platform, matches: int, moves: int) -> dict[str, float]:
    """So many matches at once, each followed by its two players; every guest follows all of its own on one stream."""
    heard, tally, games = Heard(), Tally(moves), list[Game]()
    async with guests([running.address], 2 * _PAIRS) as everybody:
        pairs = list(zip(everybody[::2], everybody[1::2], strict=True))
        streams = list[Hearing]()
        for pair, names in zip(pairs, await seat_matches(pairs, -(-matches // _PAIRS)), strict=True):
            two = (Hearing(pair[0], 0, heard), Hearing(pair[1], 1, heard))
            mine = [Game(name, two, BARE, tally) for name in names]
            for stream in two:
                await stream.follow(mine, BARE)
            streams += two
            games += mine
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(stream.run()) for stream in streams]
            await asyncio.sleep(1 + matches / 200)
            before, heard.is_counting = spent(pids_of(running)), True
            for game in games:
                await game.begin()
            await tally.done.wait()
            costs = between(before, spent(pids_of(running)))
            for task in tasks:
                task.cancel()
    return heard.figures(costs["gateway"])


async def _follow(guest: Guest, name: str) -> Any:
    call = guest.matches.Play(metadata=guest.metadata)
    watch = pb.WatchMatchRequest(name=name, after=pb.Head(version=0))
    await call.write(pb.PlayRequest(follow=pb.PlayRequest.Follow(watch=watch)))
    return call


async def _listen(call: Any, heard: Heard) -> None:
    try:
        async for item in call:
            if item.followed.watch.HasField("update"):
                heard.take(item.followed.watch.update)
    finally:
        call.cancel()
