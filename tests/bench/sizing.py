"""What so many matches need, computed from what the run has measured itself."""

import math
from collections.abc import Iterator
from typing import Any

from tests.bench.effort import Effort
from tests.bench.moves import SIDES, Figures, median

COUNTS = (100, 1_000, 10_000, 100_000, 1_000_000)
PACE_S = 10.0
"""Seconds between two moves of a match."""
LOAD = 0.5
"""How much of its cores a process may use: at half load answers come soon (`half`)."""
TABLES = 100_000
"""Tables that a gateway keeps unless told otherwise; the matches beyond are read when they are played."""
_MEMORY_SHARE = 0.6  # of a machine that a store may fill, since a rewrite of its file forks
_ROLES = ("gateway", "rules", "valkey")


async def measure_sizing(effort: Effort) -> Any:
    """Cores and memory by role; nothing where `moves` and `memory` were not measured in this run."""
    if not {"moves", "memory"} <= effort.report.figures.keys():
        effort.report.note("What so many matches need is computed where `moves` and `memory` are measured too.")
        return None
    move, weight = _move(effort), effort.report.figures["memory"][-1]
    rows = [[count, count / PACE_S, *_needs(move, weight, count)] for count in COUNTS]
    title = (
        f"For N live matches you need (a move each {PACE_S:.0f} s by {SIDES[1].name}; cores half used, store at 60 %)"
    )
    headers = ("matches", "moves/s", *(f"{role} {what}" for role in _ROLES for what in ("cores", "GB")))
    effort.report.show(title, headers, rows)
    return [dict(zip(headers, row, strict=True)) for row in rows]


def _move(effort: Effort) -> Figures:
    """A move over Play at the most matches that were measured."""
    sizes = effort.report.figures["moves"]
    return median(sizes[max(sizes, key=int)][SIDES[1].name])


def _needs(move: Figures, weight: dict[str, Any], count: int) -> Iterator[float]:
    """Cores, and gigabytes of all processes together, by role.

    A gateway and a rules service fill a core each. A gateway holds the tables of its share of the matches.
    """
    for role in _ROLES:
        cores = count / PACE_S * move.cost_us[role] / 1e6 / LOAD
        processes = math.ceil(cores)
        held = {
            "gateway": processes * weight["processes"]["gateway"] + min(count, TABLES * processes) * weight["gateway"],
            "rules": processes * weight["processes"]["rules"],
            "valkey": count * weight["store"] / _MEMORY_SHARE,
        }
        yield cores
        yield held[role] / 1e9
