"""The part of the benchmark that weighs matches which lie still, and plays beside them."""

from collections.abc import Sequence
from typing import Any

from redis.asyncio import Redis

from tests.bench import cold, moves
from tests.bench.accounting import resident_bytes
from tests.bench.effort import Effort
from tests.bench.guests import guests
from tests.bench.moves import SIDES, Figures
from tests.platform import Platform

_STORE = 8 * 2**30
_PLAYED = 32  # matches that are played beside those that lie still
_EACH = 5_000  # matches that one player makes
_WEIGHED = 500  # fewer weigh less than what a process holds now or a moment later
MILLION = 1_000_000


async def measure_memory(effort: Effort) -> Any:
    """What a match just started holds in store and gateway, and whether moves cost more beside so many.

    What was found when it fails or is broken off is shown and kept: most of its time goes to the last row.
    """
    found = list[dict[str, Any]]()
    try:
        async with moves.platform(maxmemory=_STORE, tables="1000000") as running:
            await _weigh(running, effort, found)
    finally:
        if found:
            _show(found, effort)
            effort.report.keep("memory", found)
    return found


def _show(found: Sequence[dict[str, Any]], effort: Effort) -> None:
    rows = [_row(one) for one in found]
    title = "Matches just started that lie still, tables kept, and moves of 32 others beside them"
    headers = (
        "matches",
        "store, bytes each",
        "gateway, bytes each",
        "store at a million, GB",
        "gateway at a million, GB",
        "server µs per move",
        "p50 ms",
        "p99 ms",
    )
    effort.report.show(title, headers, rows)


def _row(one: dict[str, Any]) -> list[object]:
    figures: Figures = one["moves"]
    weights: list[object] = ["", "", "", ""]
    if one["added"] >= _WEIGHED:
        each = (one["store"], one["gateway"])
        weights = [*each, *(weight * MILLION / 1e9 for weight in each)]
    return [one["matches"], *weights, figures.server_us, *figures.answer_ms[::2]]


async def _weigh(running: Platform, effort: Effort, found: list[dict[str, Any]]) -> None:
    gateway, made = running.gateways[0].pid, 0
    async with Redis.from_url(running.store.url) as client:
        await _play(running, effort, "first, to warm up")  # what is held once only
        empty = {"gateway": resident_bytes(gateway), "rules": resident_bytes(running.rules[0].pid)}
        for count in effort.held:
            store, own, added = await _used(client), resident_bytes(gateway), count - made
            await _begin(running, made, count, effort)
            store, own, made = await _used(client) - store, resident_bytes(gateway) - own, count
            one = {"matches": made, "store": store / added, "gateway": own / added, "processes": empty, "added": added}
            found.append(one | {"moves": await _play(running, effort, f"beside {made:,}")})


async def _begin(running: Platform, made: int, wanted: int, effort: Effort) -> None:
    """Adds matches. A player after the other makes some: a token is good for a quarter of an hour."""
    for first in range(made, wanted, _EACH):
        async with guests([running.address], 1) as (creator,):
            await cold.begin(creator, min(_EACH, wanted - first), cold.MOST_AT_ONCE)
        effort.progress.say(f"{min(first + _EACH, wanted):,} of {wanted:,} matches made")


async def _play(running: Platform, effort: Effort, what: str) -> Figures:
    count = effort.moves_at(_PLAYED)
    async with moves.pairs_of(running, _PLAYED) as pairs:
        rounds = [
            await moves.play_round(running, pairs, SIDES[1], count)
            for _ in effort.each_round(f"moves of {_PLAYED} matches, {what}")
        ]
    return moves.median(rounds)


async def _used(client: Redis) -> int:
    info = await client.info("memory")
    return int(info["used_memory"])
