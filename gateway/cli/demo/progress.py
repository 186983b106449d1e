"""How the demo goes: what has been heard so far, and a line a second about it."""

import asyncio
import contextlib
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from gateway.cli.demo.seating import Seated

STALLED_S: Final = 90.0
"""Without a move of anybody for so long, the matches that still run are named and given up."""


@dataclass
class Board:
    """What the bots have told. `digests` has that of each match and seat that is done, `failed` who could not go on."""

    matches: Sequence[Seated]
    started: float = field(default_factory=time.monotonic)
    moves: int = 0
    latencies_ms: list[float] = field(default_factory=list)
    digests: dict[tuple[str, int], str] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    failed: dict[tuple[str, int], str] = field(default_factory=dict)
    heard: float = field(default_factory=time.monotonic)
    finished: float | None = None

    def hear(self, told: dict[str, Any]) -> None:
        """Takes one line of a worker."""
        if "latencies_ms" in told:
            self.moves += told["moves"]
            self.latencies_ms += told["latencies_ms"]
        elif "problem" in told:
            self.failed[told["match"], told["seat"]] = told["problem"]
        else:
            self.digests[told["match"], told["seat"]] = told["digest"]
            self.entries[told["match"]], self.ends[told["match"]] = told["entries"], told["reason"]
        self.heard = time.monotonic()
        if self.finished is None and self.is_over:
            self.finished = self.heard

    @property
    def ended(self) -> int:
        """Matches that every seat has seen to the end."""
        return sum(self._has_ended(match) for match in self.matches)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come: a match of which one seat has failed does not go on."""
        given_up = {match for match, _ in self.failed}
        return all(m.name in given_up or self._has_ended(m) for m in self.matches)

    def _has_ended(self, match: Seated) -> bool:
        return all((match.name, seat) in self.digests for seat in range(len(match.players)))

    @property
    def seconds(self) -> float:
        """How long it has been going on, or went on."""
        return (self.finished or time.monotonic()) - self.started


def percentile(values: Sequence[float], share: int) -> float:
    """The value below which so many of a hundred lie; 0 without values."""
    if len(values) < 2:
        return values[0] if values else 0.0
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1]


async def tell(board: Board, console: Console) -> None:
    """A line each second until the board is over or stands still; rewritten in place on a terminal."""
    moves, seen = 0, 0
    with _shown(console) as show:
        while not board.is_over and time.monotonic() - board.heard < STALLED_S:
            await asyncio.sleep(1)
            recent = board.latencies_ms[seen:]
            show(_line(board, board.moves - moves, recent))
            moves, seen = board.moves, len(board.latencies_ms)


@contextlib.asynccontextmanager
async def stage(title: str, progress: Callable[[], object], console: Console) -> AsyncIterator[None]:
    """A stage of the demo: its title first, then a line whenever there is progress, and how long it took."""
    begun = time.monotonic()
    console.print(f"{title} …", highlight=False, soft_wrap=True)
    with _shown(console) as show:
        ticking = asyncio.create_task(_tick(progress, show))
        try:
            yield
        finally:
            ticking.cancel()
            await asyncio.wait([ticking])
    last = progress()
    console.print(f"  {last}{', ' if str(last) else ''}{time.monotonic() - begun:.1f} s", highlight=False)


async def _tick(progress: Callable[[], object], show: Callable[[str], None]) -> None:
    last = ""
    while True:
        await asyncio.sleep(1)
        if (line := str(progress())) != last:
            show(f"  {line}")
            last = line


@contextlib.contextmanager
def _shown(console: Console) -> Iterator[Callable[[str], None]]:
    """Shows a line: in place of the one before on a terminal, else below it."""
    if not console.is_terminal:
        yield lambda line: console.print(line, highlight=False, soft_wrap=True)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda line: live.update(Text(line), refresh=True)


def _line(board: Board, moves: int, recent: Sequence[float]) -> str:
    ended = board.ended
    pace = f"{moves:5d} moves/s"
    if recent:
        pace += f"  p50 {percentile(recent, 50):6.1f} ms  p99 {percentile(recent, 99):6.1f} ms"
    return f"{board.seconds:4.0f} s  running {len(board.matches) - ended:4d}  ended {ended:4d}  {pace}"
