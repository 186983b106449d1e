"""What a seat makes of its view: how well the gaps of the grid can still be filled, and what each card is worth.

A gap is a run of empty cells between two numbers. It needs as many islands between them as it has cells; how many are
left is not known, because discards and removed islands are face down, but it can be estimated.
"""

import functools
import math

from services.rules.games.ruhe import cards
from services.rules.games.ruhe.grid import cost
from services.rules.games.ruhe.model import CELLS, REMOVED
from services.rules.games.ruhe.table import Position

Gap = tuple[int, int, int, int]  # the cells around it (-1, 36 at the ends) and their numbers (0, 81)

# Found by playing: see `tournament.py`.
PLACED = 2.2  # a cell filled
CARD = 0.45  # a card spent
FUTURE_COST = 0.03  # a card that a gap will cost later
WORTH = 0.6  # how much of a card's best use counts while it is in the hand
USABLE = 0.5  # how many of the islands left a gap can count on
ENOUGH, SCARCITY, MOST_SCARCE = 2.0, 2.0, 10.0
RUIN = 1.5
UNSEEN = 0.35  # what an unseen card is worth
FINISH, SECOND_FINISH = 3.0, 0.3


class Outlook:
    """The estimates for one position and seat."""

    def __init__(self, position: Position, seat: int) -> None:
        own = position.seats[seat].hand
        self.position, self.seat = position, seat
        self.hand = own.cards if own else ()
        self.grid = position.grid
        self._held = {cards.number(card) for card in self.hand if card[0] == "I"}
        self._alive = self._estimate()
        self._card = CARD * self._scarcity()
        self._rate_gap = functools.cache(self._look)
        self.worth = functools.cache(self._value)

    def _estimate(self) -> tuple[float, ...]:
        """At n: how many islands up to number n can still be placed, as expected."""
        position = self.position
        out = {n for n in self.grid if n} | {cards.number(card) for card in position.gone if card[0] == "I"}
        hidden = sum(s.pile_size for s in position.seats) + sum(
            s.hand_size for s in position.seats if s.seat != self.seat
        )
        lost = sum(s.discard_size for s in position.seats) + REMOVED[position.settings.difficulty]
        share = hidden / max(1, hidden + lost)
        sums = [0.0]
        for n in range(1, 82):
            here = 1.0 if n in self._held else 0.0 if n in out or n == 81 else share
            sums.append(sums[-1] + here)
        return tuple(sums)

    def _scarcity(self) -> float:
        """How much dearer a card is than when the seat has two for each turn that it will have to take."""
        position, seats = self.position, len(self.position.seats)
        own = position.seats[self.seat]
        left = own.hand_size + own.pile_size - (8 / seats if position.start is None else 0)
        turns = self.grid.count(0) / seats + 1
        return float(min(MOST_SCARCE, (ENOUGH * turns / max(1.0, left)) ** SCARCITY))

    def gap(self, cell: int) -> Gap:
        """The gap around an empty cell."""
        first = next((i for i in range(cell - 1, -1, -1) if self.grid[i]), -1)
        last = next((i for i in range(cell + 1, CELLS) if self.grid[i]), CELLS)
        return first, last, self.grid[first] if first >= 0 else 0, self.grid[last] if last < CELLS else 81

    def _look(self, gap: Gap) -> float:
        """How good the gap is: the log of the chance that it can be filled, less what that will cost."""
        first, last, low, high = gap
        size = last - first - 1
        if size == 0:
            return 0.0
        left = self._alive[high - 1] - self._alive[low]
        spread = math.sqrt(0.4 + 0.25 * left)
        chance = 0.5 * (1 + math.erf((left * USABLE - size + 0.3) / spread / math.sqrt(2)))
        ends = (first >= 0) + (last < CELLS)
        step = (high - low) / (size + 1)
        return math.log(max(chance, 1e-4)) - FUTURE_COST * max(1.0, 0.6 * step) * (size - 1 + ends) / 2

    def place(self, number: int, cell: int) -> float:
        """How much better the grid is with the number there; its cost aside."""
        first, last, low, high = gap = self.gap(cell)
        left, right = (first, cell, low, number), (cell, last, number, high)
        return PLACED + self._rate_gap(left) + self._rate_gap(right) - self._rate_gap(gap)

    def sink(self, cell: int) -> float:
        """How much better the grid is without the island there."""
        number = self.grid[cell]
        first, last, low, high = gap = self.gap(cell)
        left, right = (first, cell, low, number), (cell, last, number, high)
        return self._rate_gap(gap) - self._rate_gap(left) - self._rate_gap(right) - PLACED

    def _value(self, card: str) -> float:
        """What the card is worth in the hand."""
        if card[0] == "F":
            is_first = card == next(held for held in self.hand if held[0] == "F")
            return FINISH if is_first else SECOND_FINISH
        if card[0] != "I":
            return 0.0
        return WORTH * max(0.0, self.best_use(cards.number(card)))

    def best_use(self, number: int) -> float:
        """The best place for the number, blocked rows or not; below 0 where none is left."""
        first = max((i for i, n in enumerate(self.grid) if 0 < n < number), default=-1) + 1
        last = min((i for i, n in enumerate(self.grid) if n > number), default=CELLS)
        uses = (
            self.place(number, cell) - (self._card + WORTH / 4) * cost(self.grid, cell, number)
            for cell in range(first, last)
            if cost(self.grid, cell, number) <= 4
        )
        return max(uses, default=-1.0)

    def price(self, spent: tuple[str, ...], unseen: int = 0) -> float:
        """What the cards are worth together, and that they are spent; `unseen` more come from the pile."""
        own = self.position.seats[self.seat]
        left = own.hand_size + own.pile_size - len(spent) - unseen
        ruin = RUIN * max(0, 2 - left)  # who has no card at its turn loses the match for all
        return ruin + sum(self.worth(card) + self._card for card in spent) + (UNSEEN + self._card) * unseen
