"""Chance as a test says it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from services.rules.games.ruhe import evolve
from services.rules.games.ruhe.model import State

T = TypeVar("T")


@dataclass(frozen=True)
class Dealt:
    """Draws with these outcomes; `deck` are the first cards, the rest follow in canonical order."""

    deck: Sequence[str] = ()
    start_seat: int = 0
    start_pos: Sequence[int] = ()
    rock_row: int = 0

    def below(self, label: str, n: int) -> int:
        """`start_pos` counts on by itself: seats ask in order."""
        if label != "start_pos":
            return int(getattr(self, label))
        positions: list[int] = self.__dict__.setdefault("_left", list(self.start_pos))
        value = positions.pop(0)
        assert 0 <= value < n
        return value

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The named cards first."""
        assert label == "deck"
        first: Any = tuple(self.deck)
        return (*first, *(item for item in items if item not in first))

    def sample(self, label: str, items: Sequence[T], k: int) -> tuple[T, ...]:
        """The first k."""
        assert label == "removed"
        return tuple(items[:k])

    def begin(self, state: State, start: Callable[..., Any]) -> State:
        """The state after the start."""
        for event in start(state, self):
            state = evolve(state, event)
        return state
