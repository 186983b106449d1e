"""What a conformance run leaves to chance, all of it from one number, so that a failure comes again."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from services.kit.draws import SeededDraws

T = TypeVar("T")


class Chance:
    """Choices and entropy that follow from a seed and a name."""

    def __init__(self, seed: int, name: str) -> None:
        self._root = hashlib.sha256(f"argosy.conform {seed} {name}".encode()).digest()
        self.draws = SeededDraws(self._root)
        self._given = 0

    def entropy(self) -> bytes:
        """32 bytes, others each time."""
        self._given += 1
        return hashlib.sha256(self._root + self._given.to_bytes(8, "big")).digest()

    def choose(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.draws.below("choice", len(items))]

    def some(self, items: Sequence[T], most: int) -> list[T]:
        """At most so many of the items, each once, in any order."""
        if len(items) <= most:
            return list(items)
        places = dict[int, None]()
        while len(places) < most:
            places[self.draws.below("some", len(items))] = None
        return [items[place] for place in places]

    def happens(self, one_in: int) -> bool:
        """Whether something happens that does once in so many times."""
        return self.draws.below("happens", one_in) == 0
