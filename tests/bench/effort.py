"""How much a run measures."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.report import Report

SIZES = (1, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Effort:
    """Rounds of which the medians count, moves of a round, matches at once; where figures are told.

    `held` are the numbers of matches whose memory is weighed, `waiting` those who wait for others in queues.
    """

    report: Report
    rounds: int = 5
    moves: int = 2000
    sizes: Sequence[int] = SIZES
    held: Sequence[int] = (10_000, 100_000)
    waiting: int = 10_000
    is_quick: bool = False

    def moves_at(self, matches: int) -> int:
        """Fewer at few matches, where each takes longer."""
        return max(200, self.moves * min(matches, 64) // 64)


Part = Callable[[Effort], Awaitable[Any]]
