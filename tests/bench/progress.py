"""Where a run stands, told on stderr; tables and figures go to stdout."""

import sys
import time
from collections.abc import Iterator


class Progress:
    """Counts the parts and rounds of a run, and the time since it began."""

    def __init__(self, parts: int) -> None:
        self._parts, self._entered, self._began = parts, 0, time.monotonic()
        self.part = ""

    def enter(self, part: str) -> None:
        """A part begins."""
        self.part, self._entered = part, self._entered + 1
        self.say("begins")

    def say(self, text: str) -> None:
        """A line: minutes and seconds since the run began, the part and its number, what it does."""
        sys.stderr.write(f"[{self.elapsed}] {self.part} ({self._entered} of {self._parts}): {text}\n")
        sys.stderr.flush()

    def rounds(self, count: int, what: str) -> Iterator[int]:
        """The numbers of so many rounds, each told as it begins."""
        for number in range(count):
            self.say(f"{what}, round {number + 1} of {count}")
            yield number

    @property
    def elapsed(self) -> str:
        """Minutes and seconds since the run began."""
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        return f"{minutes}:{seconds:02}"
