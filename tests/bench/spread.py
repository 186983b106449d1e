"""The part of the benchmark with several gateways, and with the other way to write to disk."""

import contextlib
from typing import Any

from tests.bench import moves
from tests.bench.effort import Effort
from tests.bench.moves import SIDES, Figures, Pair
from tests.bench.parts import HEADERS, row_of
from tests.platform import Platform

_MATCHES = 64
_KINDS = ((1, "always"), (2, "always"), (4, "always"), (1, "everysec"))


async def measure_gateways(effort: Effort) -> Any:
    """The same moves on one, two and four gateways, the seats of a match apart or together; and with everysec."""
    side, found = SIDES[1], dict[str, list[Figures]]()
    async with contextlib.AsyncExitStack() as stack:
        kinds = await _start(stack, effort)
        for _ in effort.each_round("all kinds"):
            for name, (running, pairs) in kinds.items():
                figures = await moves.play_round(running, pairs, side, effort.moves_at(_MATCHES))
                found.setdefault(name, []).append(figures)
    rows = [row_of(_MATCHES, name, moves.median(each)) for name, each in found.items()]
    effort.report.show(f"{side.name}, by gateways and appendfsync", HEADERS, rows)
    return found


async def _start(stack: contextlib.AsyncExitStack, effort: Effort) -> dict[str, tuple[Platform, list[Pair]]]:
    """Platforms and pairs by what they shall show. All stand at once: those that lie still cost the others nothing."""
    kinds = dict[str, tuple[Platform, list[Pair]]]()
    for count, fsync in _KINDS:
        effort.progress.say(f"{count} gateways, {fsync}: start")
        running = await stack.enter_async_context(moves.platform(gateways=count, fsync=fsync))
        for together in (False, True) if count > 1 else (True,):
            seats = "" if count == 1 else "seats together, " if together else "seats apart, "
            pairs = await stack.enter_async_context(moves.pairs_of(running, _MATCHES, together=together))
            kinds[f"{count} gateway{'s' * (count > 1)}, {seats}{fsync}"] = running, pairs
    return kinds
