"""Ended matches read again: positions, files, and how fast the files are verified."""

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from argosy.v1 import match_service_pb2 as pb
from argosy.v1 import replay_service_pb2 as replay_pb
from argosy.v1 import replay_service_pb2_grpc as replay_grpc

from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.report import Mark
from tests.bench import cold
from tests.bench.accounting import between, spent, used_s
from tests.bench.guests import Guest
from tests.bench.moves import pids_of
from tests.platform import Platform

_AT_ONCE = 16
_VERIFIED = 16  # files of a round: each is decided anew in a process of its own
MOVES = 24
"""Entries of each match, about; then it is given up."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A player, and the replays of its matches."""

    player: Guest
    stub: "replay_grpc.ReplayServiceAsyncStub"

    async def position(self, name: str, version: int) -> None:
        """One position of a match."""
        request = replay_pb.GetReplayPositionRequest(name=name, version=version, seat=0)
        await self.stub.GetReplayPosition(request, metadata=self.player.metadata)

    async def export(self, name: str) -> bytes:
        """A match as a file."""
        request = replay_pb.ExportReplayRequest(name=name, opened=True)
        pieces = [item.piece async for item in self.stub.ExportReplay(request, metadata=self.player.metadata)]
        return b"".join(pieces)


async def play_to_the_end(running: Platform, player: Guest, count: int) -> list[str]:
    """The names of so many matches, ended and in the archive."""
    matches = await cold.begin(player, count)
    for _ in range(MOVES):
        await cold.play_round(running, player, matches)
    for match in matches:
        if match.turn is not None:
            request = pb.ResignMatchRequest(name=match.name, seat=match.turn, request_id=secrets.token_hex(8))
            await player.matches.ResignMatch(request, metadata=player.metadata)
    return [match.name for match in matches]


async def read_round(running: Platform, reader: Reader, names: Sequence[str], positions: int) -> dict[str, float]:
    """Positions and files a second, what each costs the servers in µs, and how fast the files verify on one core."""
    asked = [(random.choice(names), random.randrange(2, MOVES)) for _ in range(positions)]
    found = await _timed(running, "positions", [partial(reader.position, *one) for one in asked])
    files = list[bytes]()

    async def export(name: str) -> None:
        files.append(await reader.export(name))

    found |= await _timed(running, "files", [partial(export, name) for name in names])
    before = used_s()
    for data in files[:_VERIFIED]:
        report = verify(replay_pb.Export.FromString(data), Given())
        assert all(check.mark is not Mark.FAILS for check in report.checks), report.checks
    return found | {"verified_per_s": min(len(files), _VERIFIED) / (used_s() - before)}


async def _timed(running: Platform, what: str, calls: Sequence[Callable[[], Awaitable[None]]]) -> dict[str, float]:
    slots = asyncio.Semaphore(_AT_ONCE)

    async def call(one: Callable[[], Awaitable[None]]) -> None:
        async with slots:
            await one()

    pids = {**pids_of(running), "replay": [process.pid for process in running.replay]}
    before, began = spent(pids), time.perf_counter()
    await asyncio.gather(*map(call, calls))
    seconds, costs = time.perf_counter() - began, between(before, spent(pids))
    servers = sum(cost for role, cost in costs.items() if role != "clients")
    return {f"{what}_per_s": len(calls) / seconds, f"{what}_us": servers / len(calls) * 1e6}
