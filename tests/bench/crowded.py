"""The part of the benchmark with many who watch."""

import statistics
from typing import Any

from tests.bench import crowds, moves
from tests.bench.effort import Effort
from tests.bench.guests import guests


async def measure_crowd(effort: Effort) -> Any:
    """One match and many who watch it; and many matches with two each."""
    many, two = (200, 200) if effort.is_quick else (1000, 1000)
    found = dict[str, list[dict[str, float]]]()
    async with moves.platform() as running:
        async with guests([running.address], many + 2) as everybody:
            for _ in effort.each_round(f"1 match, {many:,} watchers"):
                for watchers in (many // 10, many):
                    one = await crowds.fan_out(running, everybody[: watchers + 2], 10)
                    found.setdefault(f"1 match x {watchers:,} watchers", []).append(one)
        for _ in effort.each_round(f"{two:,} matches of two"):
            one = await crowds.fan_in_pairs(running, two, max(two, effort.moves))
            found.setdefault(f"{two:,} matches x 2", []).append(one)
    keys = ("gateway_us_per_news", "p50_ms", "p99_ms")
    rows = [[name, *(statistics.median(one[key] for one in each) for key in keys)] for name, each in found.items()]
    headers = ("who watches", "gateway µs per news", "recorded to heard, p50 ms", "p99 ms")
    effort.report.show("Watching: from an entry's record_time until its watchers have it", headers, rows)
    return found
