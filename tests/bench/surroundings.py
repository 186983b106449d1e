"""The parts of the benchmark about what stands around the moves: matchmaking, replays, rules alone."""

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from argosy.v1 import replay_service_pb2_grpc as replay_grpc

from services.rules import playouts
from services.rules.loading import list_games, load
from tests.bench import replaying, waiting
from tests.bench.effort import Effort
from tests.bench.guests import guests
from tests.bench.moves import OPEN_GATES
from tests.platform import run_platform
from tests.servers import MEMORY

_SEATING = {"ARGOSY_MATCHMAKING_TICKET_S": "3600"}


async def measure_tickets(effort: Effort) -> Any:
    """Tickets taken, and two seated while many wait."""
    pairs = 20 if effort.is_quick else 100
    async with run_platform(matchmaking=1, seating=_SEATING, of_gateways=OPEN_GATES, maxmemory=4 * MEMORY) as running:
        found = await waiting.seat_among(running, effort.waiting, pairs, effort.progress.say)
    costs = [found[f"{role}_us"] for role in ("gateway", "matchmaking", "valkey")]
    row = [effort.waiting, found["tickets_per_s"], *costs, found["p50_ms"], found["p95_ms"], found["p99_ms"]]
    headers = ("waiting", "tickets/s", "gateway µs", "matchmaking µs", "valkey µs", "seated p50 ms", "p95 ms", "p99 ms")
    effort.report.show(
        "Tickets taken (CPU for each), then pairs of newcomers seated while all of them wait", headers, [row]
    )
    return found


async def measure_replay(effort: Effort) -> Any:
    """Positions and files of ended matches, and their verification."""
    count, found = 32 if effort.is_quick else 128, list[Mapping[str, float]]()
    async with run_platform(replay=1, of_gateways=OPEN_GATES) as running, guests([running.address], 1) as (player,):
        stub: replay_grpc.ReplayServiceAsyncStub = replay_grpc.ReplayServiceStub(player.channel)
        effort.progress.say(f"{count} matches are played and given up")
        reader, names = replaying.Reader(player, stub), await replaying.play_to_the_end(running, player, count)
        for _ in effort.each_round("positions, files and their verification"):
            found.append(await replaying.read_round(running, reader, names, 4 * count))
    row = [
        _middle(found, key) for key in ("positions_per_s", "positions_us", "files_per_s", "files_us", "verified_per_s")
    ]
    headers = ("positions/s", "server µs each", "files/s", "server µs each", "verified/s on one core")
    effort.report.show(f"Replays of Sirenen matches of about {replaying.MOVES} entries", headers, [row])
    return found


async def measure_rules(effort: Effort) -> Any:
    """Random matches played by the rules alone, in this process."""
    found = {}
    for game in map(load, list_games()):
        settings, seats = game.module.SAMPLES[0]
        effort.progress.say(game.id)
        seconds = 1.0 if effort.is_quick else 3.0
        found[game.id] = await asyncio.to_thread(playouts.measure, game, settings, seats, seconds, 0)
    rows = [[name, one["playouts_per_second"], one["actions_per_second"]] for name, one in found.items()]
    effort.report.show("Rules alone, on one core", ("game", "playouts/s", "actions/s"), rows)
    return found


def _middle(each: Sequence[Mapping[str, float]], key: str) -> float:
    return statistics.median(one[key] for one in each)
