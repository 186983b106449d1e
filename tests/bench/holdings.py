"""The part of the benchmark that weighs matches which lie still, and plays beside them."""

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
MILLION = 1_000_000


async def measure_memory(effort: Effort) -> Any:
    """What a match just started holds in store and gateway, and whether moves cost more beside so many."""
    async with moves.platform(maxmemory=_STORE, tables="1000000") as running:
        found = await _weigh(running, effort)
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
    return found


def _row(one: dict[str, Any]) -> list[object]:
    figures: Figures = one["moves"]
    gigabytes = (one["store"] * MILLION / 1e9, one["gateway"] * MILLION / 1e9)
    return [one["matches"], one["store"], one["gateway"], *gigabytes, figures.server_us, *figures.answer_ms[::2]]


async def _weigh(running: Platform, effort: Effort) -> list[dict[str, Any]]:
    gateway, found, made = running.gateways[0].pid, list[dict[str, Any]](), 0
    async with Redis.from_url(running.store.url) as client:
        await _play(running, effort, "first, to warm up")  # what is held once only
        store_before, gateway_before = await _used(client), resident_bytes(gateway)
        empty = {"gateway": gateway_before, "rules": resident_bytes(running.rules[0].pid)}
        for count in effort.held:
            await _begin(running, made, count, effort)
            made = count
            store, own = await _used(client) - store_before, resident_bytes(gateway) - gateway_before
            one = {"matches": made, "store": store / made, "gateway": own / made, "processes": empty}
            found.append(one | {"moves": await _play(running, effort, f"beside {made:,}")})
    return found


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
