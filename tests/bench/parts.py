"""The parts of the benchmark: each measures, prints its table as soon as it has it, and returns its figures."""

import asyncio
import statistics
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.rules import playouts
from services.rules.loading import list_games, load
from tests.bench import boardgame_io, ceilings, crowds, moves
from tests.bench.moves import SIDES, Figures
from tests.bench.tables import markdown

SIZES = (1, 16, 64, 256)
_STORE = 4 * 2**30


@dataclass(frozen=True, slots=True)
class Effort:
    """How long is measured: rounds of which the medians count, moves of a round, matches at once."""

    rounds: int = 5
    moves: int = 2000
    sizes: Sequence[int] = SIZES

    def moves_at(self, matches: int) -> int:
        """Fewer at few matches, where each takes longer."""
        return max(200, self.moves * min(matches, 64) // 64)


Part = Callable[[Effort], Awaitable[Any]]
_OTHER = "boardgame.io, in memory"
_SHARE = "server / boardgame.io"
_ROLES = ("gateway", "rules", "valkey")
_COSTS = (*_ROLES, "server", "clients")
_HEADERS = ("matches", "side", "moves/s", *(f"{role} µs" for role in _COSTS), "p50 ms", "p95 ms", "p99 ms", "told p50")


def _row(matches: int, name: str, found: Figures) -> list[object]:
    costs = [*(found.cost_us.get(role, "") for role in _ROLES), found.server_us, found.cost_us["clients"]]
    return [matches, name, found.moves_per_s, *costs, *found.answer_ms, found.told_ms[0]]


async def measure_moves(effort: Effort) -> Any:
    """Sirenen over each way to play, durable, and boardgame.io in memory, in turn in one run, at several sizes."""
    found: dict[str, dict[str, list[Figures]]] = {}
    async with moves.platform() as running, boardgame_io.beside() as other:
        for matches in effort.sizes:
            count = effort.moves_at(matches)
            rounds = found[str(matches)] = defaultdict(list)
            async with moves.pairs_of(running, matches) as pairs:
                for _ in range(effort.rounds):
                    for side in SIDES:
                        rounds[side.name].append(await moves.play_round(running, pairs, side, count))
                    if other is not None:
                        rounds[_OTHER].append(await other.play_round(matches, count))
            rows = _compared({name: moves.median(each) for name, each in rounds.items()}, matches)
            title = f"{count} moves of {matches} matches at once: CPU per move (Sirenen, appendfsync always)"
            print(markdown(title, (*_HEADERS, _SHARE), rows), flush=True)
    return found


def _compared(middles: Mapping[str, Figures], matches: int) -> list[list[object]]:
    """A row for each side, with its share of what boardgame.io's server spent."""
    other = middles.get(_OTHER)
    shares = {name: f"{each.server_us / other.server_us:.2f}" if other else "" for name, each in middles.items()}
    return [[*_row(matches, name, each), shares[name]] for name, each in middles.items()]


async def measure_gateways(effort: Effort) -> Any:
    """The same on one, two and four gateways, the two seats of a match at different ones; and with everysec."""
    side, matches = SIDES[1], 64
    kinds = [(1, "always"), (2, "always"), (4, "always"), (1, "everysec")]
    found: dict[str, list[Figures]] = {f"{count} gateways, {fsync}": [] for count, fsync in kinds}
    for _ in range(effort.rounds):
        for count, fsync in kinds:
            async with (
                moves.platform(gateways=count, fsync=fsync) as running,
                moves.pairs_of(running, matches) as pairs,
            ):
                figures = await moves.play_round(running, pairs, side, effort.moves_at(matches))
                found[f"{count} gateways, {fsync}"].append(figures)
    rows = [_row(matches, name, moves.median(each)) for name, each in found.items()]
    print(markdown(f"{side.name}, by gateways and appendfsync", _HEADERS, rows), flush=True)
    return found


async def measure_crowd(effort: Effort) -> Any:
    """One match and many who watch it."""
    found: dict[int, list[Mapping[str, float]]] = {100: [], 1000: []}
    async with moves.platform() as running:
        for _ in range(effort.rounds):
            for watchers, each in found.items():
                each.append(await crowds.fan_out(running, watchers, 10))
    rows = [[count, _middle(each, "gateway_us_per_news"), _middle(each, "spread_ms")] for count, each in found.items()]
    headers = ("watchers", "gateway µs per news", "first to last watcher, ms")
    print(markdown("One match watched by many", headers, rows), flush=True)
    return found


async def measure_memory(_: Effort) -> Any:
    """What a match that lies still holds; the projection to a million."""
    async with moves.platform(maxmemory=_STORE) as running:
        found = await crowds.weigh(running, (1_000, 10_000))
    rows = [
        [int(one["matches"]), one["store"], one["gateway"], (one["store"] + one["gateway"]) / 1000] for one in found
    ]
    headers = ("matches", "store, bytes each", "gateway, bytes each", "both at a million, GB")
    print(markdown("Memory of matches just started, tables kept", headers, rows), flush=True)
    return found


async def measure_rules(_: Effort) -> Any:
    """Random matches played by the rules alone, in this process."""
    found = {}
    for game in map(load, list_games()):
        settings, seats = game.module.SAMPLES[0]
        found[game.id] = await asyncio.to_thread(playouts.measure, game, settings, seats, 3.0, 0)
    rows = [[name, one["playouts_per_second"], one["actions_per_second"]] for name, one in found.items()]
    print(markdown("Rules alone, on one core", ("game", "matches/s", "actions/s"), rows), flush=True)
    return found


async def measure_ceilings(effort: Effort) -> Any:
    """A bare grpc.aio relay, and a bare loop of appends."""
    found: dict[str, list[Mapping[str, float]]] = {"grpc.aio relay, 64 pairs": [], "appends, 64 histories": []}
    async with ceilings.echo_server() as (pid, address):
        for _ in range(effort.rounds):
            found["grpc.aio relay, 64 pairs"].append(await ceilings.relay(pid, address, 64, effort.moves))
            found["appends, 64 histories"].append(await ceilings.append_loop(64, effort.moves // 64))
    rows = [_ceiling_row(name, each) for name, each in found.items()]
    headers = ("ceiling", "moves/s", "server µs", "clients µs")
    print(markdown("Bare ceilings: CPU per move", headers, rows), flush=True)
    return found


def _middle(each: Sequence[Mapping[str, float]], key: str) -> float:
    return statistics.median(one[key] for one in each)


def _ceiling_row(name: str, each: Sequence[Mapping[str, float]]) -> list[object]:
    middle = {key: statistics.median(one[key] for one in each) for key in each[0]}
    server = sum(cost for key, cost in middle.items() if key not in ("clients", "moves_per_s"))
    return [name, middle["moves_per_s"], server, middle["clients"]]


PARTS: Mapping[str, Part] = {
    "moves": measure_moves,
    "gateways": measure_gateways,
    "ceilings": measure_ceilings,
    "crowd": measure_crowd,
    "rules": measure_rules,
    "memory": measure_memory,
}
