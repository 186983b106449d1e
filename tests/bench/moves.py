"""Sirenen matches played at once, and what their moves cost."""

import asyncio
import contextlib
import math
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from tests.bench.accounting import CLIENTS, Pids, between, spent
from tests.bench.driving import BARE, FULL, Game, Tally, in_turn
from tests.bench.guests import Guest, guests, seat_matches
from tests.bench.ways import Calls, Stream
from tests.platform import Platform, run_platform
from tests.servers import MEMORY

Begin = Callable[[], Awaitable[None]]
Pair = tuple[Guest, Guest]
SETTLE_S = 0.3
_SHORTEST = 24  # moves that every match has, nearly always
OPEN_GATES = {
    "ARGOSY_PLAYER_RATE": "1000000",
    "ARGOSY_PLAYER_BURST": "1000000",
    "ARGOSY_SIGN_IN_RATE": "1000000",
    "ARGOSY_SIGN_IN_BURST": "1000000",
}
"""No limits: one address plays everybody here."""
_NOTHING = contextlib.nullcontext()


@dataclass(frozen=True, slots=True)
class Side:
    """One way to play: a Play stream or calls (`way`), with position and actions on each entry (`full`) or without.

    `receipt`: every move asks for a signed receipt.
    """

    name: str
    way: type[Stream] | type[Calls]
    full: bool
    receipt: bool = False


SIDES = (
    Side("Play, position and actions", Stream, full=True),
    Side("Play, entries alone", Stream, full=False),
    Side("PlayAction + WatchMatch", Calls, full=False),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What one round gave. Costs are in µs of CPU per move, times in ms."""

    moves_per_s: float
    cost_us: dict[str, float]
    answer_ms: tuple[float, float, float]
    told_ms: tuple[float, float, float]

    @property
    def server_us(self) -> float:
        """CPU of everything but the clients."""
        return sum(cost for role, cost in self.cost_us.items() if role != CLIENTS)


@contextlib.asynccontextmanager
async def platform(
    *, gateways: int = 1, fsync: str = "always", maxmemory: int = MEMORY, tables: str = "100000"
) -> AsyncIterator[Platform]:
    """A platform for Sirenen without limits; so many tables are kept by each gateway."""
    permit = {} if fsync == "always" else {"ARGOSY_REDIS_PERMIT": fsync}
    arguments = ("--appendfsync", fsync)
    async with run_platform(
        gateways=gateways,
        maxmemory=maxmemory,
        store_arguments=arguments,
        of_gateways=OPEN_GATES | permit | {"ARGOSY_TABLES": tables},
    ) as running:
        yield running


def pids_of(running: Platform) -> Pids:
    """The platform's processes by role."""
    return {
        "gateway": [gateway.pid for gateway in running.gateways],
        "rules": [process.pid for process in running.rules],
        "valkey": [running.store.pid],
    }


@contextlib.asynccontextmanager
async def pairs_of(running: Platform, matches: int, *, together: bool = False) -> AsyncIterator[list[Pair]]:
    """Two guests for each of so many matches; they play round after round.

    They are at the gateways in turn: the two of a match at different ones, or, where `together`, at the same.
    """
    addresses = [gateway.address for gateway in running.gateways for _ in range(2 if together else 1)]
    async with guests(addresses, 2 * matches) as everybody:
        yield list(zip(everybody[::2], everybody[1::2], strict=True))


async def play_round(
    running: Platform,
    pairs: Sequence[Pair],
    side: Side,
    moves: int,
    *,
    paced_s: float = 0.0,
    around: "contextlib.AbstractAsyncContextManager[object]" = _NOTHING,
) -> Figures:
    """A match of each pair at once until so many moves are made. Seating and the start of matches are not measured.

    `around` stands around what is measured.
    """
    each = math.ceil(moves / len(pairs) / _SHORTEST) + 1
    names, tally = await seat_matches(pairs, each), Tally(moves, paced_s=paced_s, wants_receipts=side.receipt)
    wanted, beginnings, carriers = FULL if side.full else BARE, list[Begin](), list[Stream | Calls]()
    for pair, mine in zip(pairs, names, strict=True):
        two = (side.way(pair[0], 0), side.way(pair[1], 1))
        games = [Game(name, two, wanted, tally) for name in mine]
        for carrier in two:
            await carrier.follow(games, wanted)
        carriers += two
        beginnings.append(in_turn(games))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(carrier.run()) for carrier in carriers]
        await asyncio.sleep(SETTLE_S + len(carriers) * each / 800)
        async with around:
            figures = await _measure(pids_of(running), beginnings, tally)
        for task in tasks:
            task.cancel()
    return figures


async def _measure(pids: Pids, beginnings: Sequence[Begin], tally: Tally) -> Figures:
    before, began = spent(pids), time.perf_counter()
    await asyncio.gather(*(begin() for begin in beginnings))  # players who think do so at the same time
    async with asyncio.timeout(120):
        await tally.done.wait()
    seconds, costs, moves = time.perf_counter() - began, between(before, spent(pids)), len(tally.answers)
    per_move = {role: cost / moves * 1e6 for role, cost in costs.items()}
    return Figures(moves / seconds, per_move, percentiles(tally.answers), percentiles(tally.told))


def percentiles(times: Sequence[float]) -> tuple[float, float, float]:
    """The 50th, 95th and 99th."""
    cuts = statistics.quantiles(times, n=100)
    return cuts[49], cuts[94], cuts[98]


def median(rounds: Sequence[Figures]) -> Figures:
    """The medians of several rounds, each figure by itself."""
    middle = statistics.median
    return Figures(
        middle(r.moves_per_s for r in rounds),
        {role: middle(r.cost_us[role] for r in rounds) for role in rounds[0].cost_us},
        _middle([r.answer_ms for r in rounds]),
        _middle([r.told_ms for r in rounds]),
    )


def _middle(times: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    first, second, third = (statistics.median(column) for column in zip(*times, strict=True))
    return first, second, third
