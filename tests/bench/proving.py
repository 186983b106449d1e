"""The part of the benchmark about proofs: sealing, receipts, exports, verification, the transparency log."""

from dataclasses import replace
from typing import Any

from tests.bench import moves
from tests.bench.effort import Effort
from tests.bench.moves import SIDES, Figures
from tests.bench.proofs import proof_sizes, signing, sizes_and_times

_MATCHES = (("sirenen", 60, 1), ("ruhe", 60, 8), ("seeschlacht", 1000, 0))
_AT_ONCE = 64


async def measure_proofs(effort: Effort) -> Any:
    """What proofs cost, by themselves and, for receipts, by the move end to end."""
    made = list[dict[str, Any]]()
    for each in _MATCHES:
        effort.progress.say(f"a match of {each[0]}, {effort.rounds} times verified")
        made.append(sizes_and_times(*each, effort.rounds))
    title = "Sealing, exports and verification: histories made by chance, no servers"
    effort.report.show(title, list(made[0]), [list(found.values()) for found in made])
    costs = {**signing(), **proof_sizes(10_000)}
    effort.report.show("Signatures and proofs", ("what", "figure"), list(costs.items()))
    return {"matches": made, "costs": costs, "receipts": await _measure_receipts(effort)}


async def _measure_receipts(effort: Effort) -> dict[str, list[Figures]]:
    """Moves with and without a signed receipt, in turn in one run."""
    sides = [side for plain in SIDES[1:] for side in (plain, _receipted(plain))]
    found: dict[str, list[Figures]] = {side.name: [] for side in sides}
    count = effort.moves_at(_AT_ONCE)
    async with moves.platform() as running, moves.pairs_of(running, _AT_ONCE) as pairs:
        for _ in effort.each_round("moves with receipts and without"):
            for side in sides:
                found[side.name].append(await moves.play_round(running, pairs, side, count))
    rows = [_row(name, moves.median(each)) for name, each in found.items()]
    headers = ("side", "moves/s", "gateway µs", "rules µs", "valkey µs", "server µs", "clients µs")
    effort.report.show(f"{count} moves of {_AT_ONCE} matches at once, each with a signed receipt or not", headers, rows)
    return found


def _receipted(side: moves.Side) -> moves.Side:
    return replace(side, name=f"{side.name}, with receipt", receipt=True)


def _row(name: str, found: Figures) -> list[object]:
    roles = [found.cost_us[role] for role in ("gateway", "rules", "valkey")]
    return [name, found.moves_per_s, *roles, found.server_us, found.cost_us["clients"]]
