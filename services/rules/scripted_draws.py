"""Draws whose outcomes somebody has written down: the trace's scripts, examples, recorded draws."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from services.kit.draws import Draw

T = TypeVar("T")
Script = Mapping[str, Sequence[tuple[int, ...]]]


class ScriptError(ValueError):
    """The script does not fit what the game draws; the text says how."""


class ScriptedDraws:
    """Gives the results of a script, by label and in order, as `Notation.script` writes them.

    `read` is asked for the script at the first draw, so what it raises comes after the checks of the game. Raises
    ScriptError for a draw that the script does not hold or whose result cannot be. `made` records the draws.
    """

    def __init__(self, read: Callable[[], Script]) -> None:
        self.made: list[Draw] = []
        self._read, self._left = read, dict[str, deque[tuple[int, ...]]]()

    def below(self, label: str, n: int) -> int:
        """The next number of the label."""
        result = self._next(label)
        if len(result) != 1 or not 0 <= result[0] < n:
            raise ScriptError(f"{label}: {list(result)} is not one number from 0 to {n - 1}")
        self.made.append(Draw(label, "below", n, result))
        return result[0]

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The items in the next order of the label."""
        result = self._next(label)
        if sorted(result) != list(range(len(items))):
            raise ScriptError(f"{label}: not an order of {len(items)} items")
        self.made.append(Draw(label, "shuffle", len(items), result))
        return tuple(items[i] for i in result)

    def sample(self, label: str, items: Sequence[T], k: int) -> tuple[T, ...]:
        """The items that the next result of the label names."""
        result = self._next(label)
        if len(result) != k or len(set(result)) != k or not set(result) <= set(range(len(items))):
            raise ScriptError(f"{label}: not {k} of {len(items)} items")
        self.made.append(Draw(label, "sample", len(items), result))
        return tuple(items[i] for i in result)

    def check_spent(self) -> None:
        """Raises ScriptError for results that nothing asked for, once something was drawn."""
        left = {label: len(results) for label, results in self._left.items() if results}
        if left:
            raise ScriptError(f"chance that the game did not ask for: {left}")

    def _next(self, label: str) -> tuple[int, ...]:
        if not self.made:
            self._left = {name: deque(results) for name, results in self._read().items()}
        results = self._left.get(label)
        if not results:
            raise ScriptError(f"{label}: the script holds no (further) result")
        return tuple(results.popleft())
