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
MILLION = 1_000_000


async def measure_memory(effort: Effort) -> Any:
    """What a match just started holds in store and gateway, and whether moves cost more beside so many."""
    async with moves.platform(maxmemory=_STORE, tables="1000000") as running, moves.pairs_of(running, _PLAYED) as pairs:
        found = await _weigh(running, pairs, effort)
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


async def _weigh(running: Platform, pairs: Sequence[moves.Pair], effort: Effort) -> list[dict[str, Any]]:
    client, gateway, found, made = Redis.from_url(running.store.url), running.gateways[0].pid, list[dict[str, Any]](), 0
    async with guests([running.address], 1) as (creator,):
        await cold.begin(creator, 64)  # what is held once only
        await _play(running, pairs, effort)
        store_before, gateway_before = await _used(client), resident_bytes(gateway)
        for count in effort.held:
            await cold.begin(creator, count - made)
            made = count
            store, own = await _used(client) - store_before, resident_bytes(gateway) - gateway_before
            one = {"matches": made, "store": store / made, "gateway": own / made}
            found.append(one | {"moves": await _play(running, pairs, effort)})
    await client.aclose()
    return found


async def _play(running: Platform, pairs: Sequence[moves.Pair], effort: Effort) -> Figures:
    rounds = [
        await moves.play_round(running, pairs, SIDES[1], effort.moves_at(_PLAYED)) for _ in range(min(effort.rounds, 3))
    ]
    return moves.median(rounds)


async def _used(client: Redis) -> int:
    info = await client.info("memory")
    return int(info["used_memory"])
