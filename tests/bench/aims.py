"""What a move may cost, and what it did in this run."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from tests.bench.effort import Effort
from tests.bench.moves import SIDES, Figures, median
from tests.bench.parts import COLD, OTHER, WARM

_PLAY, _UNARY = SIDES[1].name, SIDES[2].name
Row = tuple[str, str, object]


async def measure_aims(effort: Effort) -> Any:
    """Each aim beside what the parts of this run have measured; those of parts that were left out are left out."""
    rows = [*_of_moves(effort), *_of_half_load(effort), *_of_cold(effort), *_of_held(effort)]
    if rows:
        effort.report.show("Aims, and what this run has measured", ("what", "aim", "measured"), rows)
    return rows


def _of_moves(effort: Effort) -> Iterator[Row]:
    for size, sides in effort.report.figures.get("moves", {}).items():
        if OTHER in sides:
            other = median(sides[OTHER]).server_us
            for side, aim in ((_PLAY, "1/3"), (_UNARY, "2/3")):
                share = median(sides[side]).server_us / other
                yield f"{side}, {size} at once: server CPU of boardgame.io's", f"at most {aim}", f"{share:.2f}"


def _of_half_load(effort: Effort) -> Iterator[Row]:
    found: dict[str, Figures] = effort.report.figures.get("half", {}).get("half", {})
    for side, figures in found.items():
        yield f"{side}, at half load: p99 of answers, ms", "below 20", figures.answer_ms[2]


def _of_cold(effort: Effort) -> Iterator[Row]:
    if found := effort.report.figures.get("cold"):
        cold, warm = (_server_us(found[kind]) for kind in (COLD, WARM))
        yield "a cold move, of a warm one's server CPU", "at most 3", f"{cold / warm:.2f}"


def _of_held(effort: Effort) -> Iterator[Row]:
    if found := effort.report.figures.get("memory"):
        first, last = found[0], found[-1]
        what = f"a move beside {last['matches']:,} matches, of one beside {first['matches']:,}"
        yield f"{what}: server CPU", "1", f"{last['moves'].server_us / first['moves'].server_us:.2f}"


def _server_us(rounds: Sequence[dict[str, float]]) -> float:
    return statistics.median(sum(cost for role, cost in one.items() if role != "clients") for one in rounds)
