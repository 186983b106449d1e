"""The parts of the benchmark that play moves: each measures, shows its table when it has it, and gives its figures."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench import boardgame_io, ceilings, cold, moves, plain
from tests.bench.effort import Effort
from tests.bench.guests import guests
from tests.bench.moves import SIDES, Figures

OTHER = "boardgame.io, in memory"
WARM, COLD = "warm", "cold: read, decided, written back"
_SHARE = "server / boardgame.io"
_ROLES = ("gateway", "rules", "valkey")
_COSTS = (*_ROLES, "server", "clients")
HEADERS = ("matches", "side", "moves/s", *(f"{role} µs" for role in _COSTS), "p50 ms", "p95 ms", "p99 ms", "told p50")


def row_of(matches: int, name: str, found: Figures) -> list[object]:
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
                for _ in effort.each_round(f"{matches} matches"):
                    for side in SIDES:
                        rounds[side.name].append(await moves.play_round(running, pairs, side, count))
                    if other is not None:
                        rounds[OTHER].append(await other.play_round(matches, count))
            rows = _compared({name: moves.median(each) for name, each in rounds.items()}, matches)
            title = f"{count} moves of {matches} matches at once: CPU per move (Sirenen, appendfsync always)"
            effort.report.show(title, (*HEADERS, _SHARE), rows)
            effort.report.keep("moves", found)
    return found


def _compared(middles: Mapping[str, Figures], matches: int) -> list[list[object]]:
    """A row for each side, with its share of what boardgame.io's server spent."""
    other = middles.get(OTHER)
    shares = {name: f"{each.server_us / other.server_us:.2f}" if other else "" for name, each in middles.items()}
    return [[*row_of(matches, name, each), shares[name]] for name, each in middles.items()]


async def measure_ceilings(effort: Effort) -> Any:
    """Bare relays over grpc.aio, by streams and by calls, and one over sockets; a bare loop of appends."""
    found: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    async with ceilings.serving("echo") as echo, ceilings.serving("plain") as bare:
        for _ in effort.each_round("relays and appends"):
            found["grpc.aio relay, 64 pairs"].append(await ceilings.relay(*echo, 64, effort.moves))
            found["grpc.aio calls and two streams, 64 pairs"].append(await ceilings.unary(*echo, 64, effort.moves))
            found["relay over bare sockets, 64 pairs"].append(await plain.relay(*bare, 64, effort.moves))
            found["appends, 64 histories"].append(await ceilings.append_loop(64, effort.moves // 64))
    rows = [_ceiling_row(name, each) for name, each in found.items()]
    headers = ("ceiling", "moves/s", "server µs", "clients µs")
    effort.report.show("Bare ceilings: CPU per move", headers, rows)
    return found


async def measure_half_load(effort: Effort) -> Any:
    """How long answers and news take when half as much is played as one gateway can carry."""
    matches, most, half = 64, dict[str, float](), dict[str, Figures]()
    async with moves.platform() as running, moves.pairs_of(running, matches) as pairs:
        for side in SIDES:
            count = effort.moves_at(matches)
            full = [
                await moves.play_round(running, pairs, side, count)
                for _ in effort.each_round(f"{side.name}, as much as can be played", 3)
            ]
            most[side.name] = statistics.median(one.moves_per_s for one in full)
            paced_s = matches / (most[side.name] / 2)
            paced = [
                await moves.play_round(running, pairs, side, count, paced_s=paced_s)
                for _ in effort.each_round(f"{side.name}, half of that")
            ]
            half[side.name] = moves.median(paced)
    rows = [[name, most[name], *_latencies(one)] for name, one in half.items()]
    headers = (
        "side",
        "moves/s at most",
        "moves/s now",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "told p50",
        "told p95",
        "told p99",
    )
    effort.report.show(f"At half of what can be played, {matches} matches, players who think", headers, rows)
    return {"most": most, "half": half}


def _latencies(found: Figures) -> list[object]:
    return [found.moves_per_s, *found.answer_ms, *found.told_ms]


async def measure_cold(effort: Effort) -> Any:
    """Moves of matches that the gateway has to read first, and of the same number that it has at hand; unary calls."""
    found = dict[str, Sequence[Mapping[str, float]]]()
    for kind, tables in ((WARM, "100000"), (COLD, "4")):
        async with moves.platform(tables=tables) as running, guests([running.address], 1) as (player,):
            matches = await cold.begin(player, 64 if effort.is_quick else 128)
            effort.progress.say(kind)
            rounds = 6 if effort.is_quick else 20
            played = [await cold.play_round(running, player, matches) for _ in range(rounds)]
            found[kind] = played[1:]  # the first is of tables just made
    rows = [[kind, *_by_role(each)] for kind, each in found.items()]
    headers = ("table", *(f"{role} µs" for role in _COSTS))
    effort.report.show("A move by PlayAction, nobody watching", headers, rows)
    return found


def _by_role(each: Sequence[Mapping[str, float]]) -> list[object]:
    """The medians of each role's cost, and of all servers' together."""
    servers = [_middle(each, role) for role in _ROLES]
    return [*servers, sum(servers), _middle(each, "clients")]


def _middle(each: Sequence[Mapping[str, float]], key: str) -> float:
    return statistics.median(one[key] for one in each)


def _ceiling_row(name: str, each: Sequence[Mapping[str, float]]) -> list[object]:
    middle = {key: statistics.median(one[key] for one in each) for key in each[0]}
    server = sum(cost for key, cost in middle.items() if key not in ("clients", "moves_per_s"))
    return [name, middle["moves_per_s"], server, middle["clients"]]
