"""Draws of chance, all derived from 32 bytes of entropy (CHAIN.md, "Draws")."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_WORDS = 2**64


@dataclass(frozen=True, slots=True)
class Draw:
    """One recorded draw.

    `kind` is "below", "shuffle" or "sample"; `bound` the n of `below`, else the number of items;
    `result` the one number drawn, else the indices of the items in their new order.
    """

    label: str
    kind: str
    bound: int
    result: tuple[int, ...]


class SeededDraws:
    """Draws that follow from `entropy` (32 bytes) alone; `made` records them in order."""

    def __init__(self, entropy: bytes) -> None:
        if len(entropy) != 32:
            raise ValueError(f"entropy has {len(entropy)} bytes, not 32")
        self.made: list[Draw] = []
        self._entropy, self._block, self._words = entropy, 0, list[int]()

    def below(self, label: str, n: int) -> int:
        """A number from 0 to n - 1, uniform. n = 1 uses no entropy; n < 1 is a ValueError."""
        value = self._below(n)
        self.made.append(Draw(label, "below", n, (value,)))
        return value

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a uniform random order."""
        order = self._order(len(items))
        self.made.append(Draw(label, "shuffle", len(items), order))
        return tuple(items[i] for i in order)

    def sample(self, label: str, items: Sequence[T], k: int) -> tuple[T, ...]:
        """The first k of a shuffle. A k outside 0 … len(items) is a ValueError."""
        if not 0 <= k <= len(items):
            raise ValueError(f"a sample of {k} from {len(items)} items")
        order = self._order(len(items))[:k]
        self.made.append(Draw(label, "sample", len(items), order))
        return tuple(items[i] for i in order)

    def _order(self, n: int) -> tuple[int, ...]:
        order = list(range(n))
        for j in range(n - 1, 0, -1):
            k = self._below(j + 1)
            order[j], order[k] = order[k], order[j]
        return tuple(order)

    def _below(self, n: int) -> int:
        if n < 1:
            raise ValueError(f"a draw below {n}")
        if n == 1:
            return 0
        limit = _WORDS - _WORDS % n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def _word(self) -> int:
        if not self._words:
            block = hmac.digest(self._entropy, self._block.to_bytes(8, "big"), hashlib.sha256)
            self._words = [int.from_bytes(block[i : i + 8], "big") for i in (24, 16, 8, 0)]
            self._block += 1
        return self._words.pop()
