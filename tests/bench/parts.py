"""The parts of the benchmark: each measures, prints its table as soon as it has it, and returns its figures."""

import statistics
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench import ceilings, moves
from tests.bench.moves import SIDES, Figures, Side
from tests.bench.tables import markdown

SIZES = (1, 16, 64, 256)


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
_ROLES = ("gateway", "rules", "valkey")
_COSTS = (*_ROLES, "server", "clients")
_HEADERS = ("matches", "side", "moves/s", *(f"{role} µs" for role in _COSTS), "p50 ms", "p95 ms", "p99 ms", "told p50")


def _row(matches: int, name: str, found: Figures) -> list[object]:
    costs = [*(found.cost_us[role] for role in _ROLES), found.server_us, found.cost_us["clients"]]
    return [matches, name, found.moves_per_s, *costs, *found.answer_ms, found.told_ms[0]]


async def measure_moves(effort: Effort) -> Any:
    """Sirenen over each way to play, at several sizes, sides alternating."""
    found: dict[str, dict[str, list[Figures]]] = {}
    rows = list[list[object]]()
    async with moves.platform() as running:
        for matches in effort.sizes:
            rounds: dict[str, list[Figures]] = {side.name: [] for side in SIDES}
            for _ in range(effort.rounds):
                for side in SIDES:
                    rounds[side.name].append(await moves.play_round(running, side, matches, effort.moves_at(matches)))
            found[str(matches)] = rounds
            rows += [_row(matches, name, moves.median(each)) for name, each in rounds.items()]
    print(markdown("Moves of Sirenen, appendfsync always: CPU per move", _HEADERS, rows), flush=True)
    return found


async def measure_gateways(effort: Effort) -> Any:
    """The same on one, two and four gateways, the two seats of a match at different ones; and with everysec."""
    side, matches = SIDES[1], 64
    kinds = [(1, "always"), (2, "always"), (4, "always"), (1, "everysec")]
    found: dict[str, list[Figures]] = {f"{count} gateways, {fsync}": [] for count, fsync in kinds}
    for _ in range(effort.rounds):
        for count, fsync in kinds:
            async with moves.platform(gateways=count, fsync=fsync) as running:
                figures = await moves.play_round(running, side, matches, effort.moves_at(matches))
                found[f"{count} gateways, {fsync}"].append(figures)
    rows = [_row(matches, name, moves.median(each)) for name, each in found.items()]
    print(markdown(f"{side.name}, by gateways and appendfsync", _HEADERS, rows), flush=True)
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


def _ceiling_row(name: str, each: Sequence[Mapping[str, float]]) -> list[object]:
    middle = {key: statistics.median(one[key] for one in each) for key in each[0]}
    server = sum(cost for key, cost in middle.items() if key not in ("clients", "moves_per_s"))
    return [name, middle["moves_per_s"], server, middle["clients"]]


def side_named(name: str) -> Side:
    """A side of `measure_moves`."""
    return next(side for side in SIDES if side.name == name)


PARTS: Mapping[str, Part] = {
    "moves": measure_moves,
    "gateways": measure_gateways,
    "ceilings": measure_ceilings,
}
