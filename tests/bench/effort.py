"""How much a run measures."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.progress import Progress
from tests.bench.report import Report

SIZES = (1, 16, 64, 256)
HELD = (100, 10_000, 100_000)


@dataclass(frozen=True, slots=True)
class Effort:
    """Rounds of which the medians count, moves of a round, matches at once; where figures are told.

    `held` are the numbers of matches whose memory is weighed, `waiting` those who wait for others in queues.
    """

    report: Report
    progress: Progress
    rounds: int = 5
    moves: int = 1000
    sizes: Sequence[int] = SIZES
    held: Sequence[int] = HELD
    waiting: int = 10_000
    is_quick: bool = False

    def moves_at(self, matches: int) -> int:
        """Fewer at few matches, where each takes longer."""
        return max(200, self.moves * min(matches, 64) // 64)

    def each_round(self, what: str, at_most: int | None = None) -> Iterator[int]:
        """The numbers of the rounds, `at_most` so many; each is told as it begins."""
        return self.progress.rounds(min(self.rounds, at_most or self.rounds), what)


Part = Callable[[Effort], Awaitable[Any]]
