"""The part of the benchmark that says on what the gateway spends a move."""

import contextlib
import statistics
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from tests.bench import moves
from tests.bench.accounting import cpu_s, loop_cpu_s
from tests.bench.effort import Effort
from tests.bench.moves import SIDES, Pair, Side
from tests.bench.spying import AREAS, Refused, spying
from tests.platform import Platform

_MATCHES = 64
_THREADS = "gRPC's own threads"
_WARMING = 300  # moves before those that are looked at


@dataclass(slots=True)
class Profile:
    """What a gateway did during the moves of all rounds.

    Seconds of CPU, of those its event loop's, and µs per move, round by round; in rounds between, samples of the loop.
    """

    seconds: float = 0.0
    loop_s: float = 0.0
    costs_us: list[float] = field(default_factory=list)
    samples: Counter[str] = field(default_factory=Counter)

    def shares(self) -> dict[str, float]:
        """The share of each area: threads beside the loop's by the system's accounting, the rest as sampled."""
        loop = self.loop_s / self.seconds
        sampled = self.samples.total()
        return {_THREADS: 1 - loop} | {area: loop * self.samples[area] / sampled for area in AREAS}


async def measure_profile(effort: Effort) -> Any:
    """Where the gateway is while 64 matches are played, by stream and by calls; left out where py-spy may not look."""
    found = dict[str, Profile]()
    async with moves.platform() as running, moves.pairs_of(running, _MATCHES) as pairs:
        try:
            async with spying(running.gateways[0].pid):
                pass
        except Refused as refused:
            effort.report.note(f"The profile is left out: py-spy may not look into other processes here ({refused}).")
            return None
        for side in SIDES[1:]:
            found[side.name] = await _look(running, pairs, side, effort)
    _show(found, effort)
    return {name: {"shares": one.shares(), "samples": one.samples} for name, one in found.items()}


async def _look(running: Platform, pairs: list[Pair], side: Side, effort: Effort) -> Profile:
    profile, gateway = Profile(), running.gateways[0].pid
    await moves.play_round(running, pairs, side, _WARMING)
    count = effort.moves_at(_MATCHES)
    for _ in effort.each_round(side.name):
        alone = await moves.play_round(running, pairs, side, count, around=_accounting(profile, gateway))
        profile.costs_us.append(alone.cost_us["gateway"])
        await moves.play_round(running, pairs, side, count, around=_sampling(profile, gateway))
    return profile


@contextlib.asynccontextmanager
async def _accounting(profile: Profile, gateway: int) -> AsyncIterator[None]:
    """Adds what the gateway spends meanwhile."""
    seconds, loop_s = cpu_s(gateway), loop_cpu_s(gateway)
    yield
    profile.seconds += cpu_s(gateway) - seconds
    profile.loop_s += loop_cpu_s(gateway) - loop_s


@contextlib.asynccontextmanager
async def _sampling(profile: Profile, gateway: int) -> AsyncIterator[None]:
    """Adds samples of what the gateway does meanwhile; py-spy halts its threads so often that it costs itself."""
    async with spying(gateway) as samples:
        yield
    profile.samples += samples


def _show(found: dict[str, Profile], effort: Effort) -> None:
    headers, rows = ["area"], [list[object]([area]) for area in (_THREADS, *AREAS)]
    for name, profile in found.items():
        headers += [f"{name}, %", "µs per move"]
        for row, share in zip(rows, profile.shares().values(), strict=True):
            row += [share * 100, share * statistics.median(profile.costs_us)]
    title = f"Where the gateway's CPU goes, {_MATCHES} matches at once"
    effort.report.show(title, headers, rows)
