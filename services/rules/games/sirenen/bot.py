"""A sensible player: takes the action after which the ships look best, seen one move ahead.

A ship that is taken counts fully; one in play by how likely either seat is to take it next, from what is unseen of the
opponent's cards, and by the totals so far. It looks at its own view only.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from services.rules.game import Draws
from services.rules.games.sirenen.components import load_deck
from services.rules.games.sirenen.model import (
    CARDS,
    SIDE_LIMIT,
    Action,
    EndTurn,
    KeepStartCard,
    MoveCrew,
    PlayCard,
    Position,
    UseOctopus,
    UseRum,
    Variant,
)

# In points: what the tokens are worth while they are held, and how far a chance counts.
_MUG, _OCTOPUS = 0.12, 0.15
_THREAT, _CHANCE, _LEAD = 0.8, 0.4, 0.35


@dataclass(frozen=True, slots=True)
class _Ship:
    """A ship by the seat's own and the other side."""

    mine: int
    my_room: int
    theirs: int
    their_room: int
    limit: int
    weight: int  # points on it: itself and a crew token

    def add(self, value: int, cards: int, *, is_mine: bool) -> "_Ship":
        """With the value of some cards more, or fewer, on one side."""
        if is_mine:
            return replace(self, mine=self.mine + value, my_room=self.my_room - cards)
        return replace(self, theirs=self.theirs + value, their_room=self.their_room - cards)


def choose(position: Position, seat: int, actions: Sequence[Action], _draws: Draws) -> Action:
    """The best action by `_Outlook.rate`, the first of equals."""
    hand = position.players[seat].hand
    cards = hand.cards if hand else ()
    if isinstance(actions[0], KeepStartCard):
        return actions[0 if not cards else -1]  # the lowest card, which moves crew, and the three highest
    has_main_action = any(isinstance(a, PlayCard | UseOctopus) for a in actions)
    wise = [a for a in actions if not (has_main_action and isinstance(a, UseRum))]
    return max(wise, key=_Outlook(position, seat, cards).rate)


class _Outlook:
    """What the seat makes of its view."""

    def __init__(self, position: Position, seat: int, hand: tuple[int, ...]) -> None:
        self._position, self._seat, self._hand = position, seat, hand
        self._values = load_deck().values
        self._ships = {s.ship: _read_ship(position, i, seat) for i, s in enumerate(position.ships)}
        self._places = {c: (s.ship, x) for s in position.ships for x in (0, 1) for c in s.sides[x].cards}
        self._crew = {s.ship for s in position.ships if s.crew}
        self._their_chance = _read_chance(position, seat, hand)
        self._rate_ship: Callable[[_Ship, int], float] = functools.cache(self._look)
        self._now = self._sum({}, self._best())

    def rate(self, action: Action) -> float:
        """How much the action improves the outlook, in points."""
        match action:
            case PlayCard(card, ship, side):
                return self._place(card, ship, side, None, self._best(card)) - self._keep_value(card)
            case UseOctopus(card, ship, side):
                return self._place(card, ship, side, self._places[card], self._best()) - _OCTOPUS
            case UseRum(ship):
                at = self._ships[ship]
                return self._gain({ship: replace(at, limit=at.limit + 3)}, self._best()) - _MUG
            case MoveCrew(ship):
                return self._gain(self._move_crew(ship), self._best())
            case EndTurn() | KeepStartCard():
                return 0.0

    def _place(self, card: int, ship: int, side: int, source: tuple[int, int] | None, best: int) -> float:
        value, changed = self._values[card], {}
        if source is not None:
            changed[source[0]] = self._ships[source[0]].add(-value, -1, is_mine=source[1] == self._seat)
        at = changed.get(ship, self._ships[ship]).add(value, 1, is_mine=side == self._seat)
        if ship in self._crew and load_deck().icons[card] and len(self._ships) > len(self._crew):
            at = replace(at, weight=1)  # the token goes; where to, is left open
        return self._gain({**changed, ship: at}, best)

    def _move_crew(self, ship: int) -> dict[int, _Ship]:
        pending = self._position.pending
        assert pending is not None
        origin = pending.from_ship
        return {
            origin: replace(self._ships[origin], weight=1),
            ship: replace(self._ships[ship], weight=2),
        }

    def _gain(self, changed: dict[int, _Ship], best: int) -> float:
        return self._sum(changed, best) - self._now

    def _sum(self, changed: dict[int, _Ship], best: int) -> float:
        return sum(self._rate_ship(changed.get(name, ship), best) for name, ship in self._ships.items())

    def _best(self, played: int | None = None) -> int:
        """The highest value left in the hand."""
        return max((self._values[c] for c in self._hand if c != played), default=-99)

    def _keep_value(self, card: int) -> float:
        """High cards take ships and negative ones hold them up: both are worth keeping."""
        return 0.01 * abs(self._values[card] - 2)

    def _look(self, ship: _Ship, best: int) -> float:
        """The ship from -weight (lost) to weight (taken), the opponent being next."""
        if ship.mine >= ship.limit or ship.theirs >= ship.limit:
            return float(ship.weight if ship.mine >= ship.limit else -ship.weight)
        lead = ship.mine - ship.theirs
        if not ship.my_room and not ship.their_room:
            return float(ship.weight * ((lead > 0) - (lead < 0)))
        outlook = _LEAD * lead / ship.limit
        if ship.my_room + ship.their_room == 1:
            outlook += 0.3 * ((lead > 0) - (lead < 0))
        if ship.their_room:
            outlook -= _THREAT * self._their_chance(ship.limit - ship.theirs)
        if ship.my_room and best >= ship.limit - ship.mine:
            outlook += _CHANCE
        return outlook * ship.weight


def _read_ship(position: Position, index: int, seat: int) -> _Ship:
    ship = position.ships[index]
    mine, theirs = ship.sides[seat].cards, ship.sides[1 - seat].cards
    return _Ship(
        mine=ship.totals[seat],
        my_room=SIDE_LIMIT - len(mine),
        theirs=ship.totals[1 - seat],
        their_room=SIDE_LIMIT - len(theirs),
        limit=ship.resistance,
        weight=2 if ship.crew else 1,
    )


def _read_chance(position: Position, seat: int, hand: tuple[int, ...]) -> Callable[[int], float]:
    """How likely the opponent holds a card of a value, or can bring one by its octopus."""
    deck, other = load_deck(), position.players[1 - seat]
    open_cards = [c for s in position.ships for side in s.sides for c in side.cards]
    seen = {*hand, *open_cards, *position.removed.cards}
    suit = None if position.variant is Variant.BASE else deck.suits[26 * (1 - seat)]
    unseen = [deck.values[c] for c in range(CARDS) if c not in seen and suit in (None, deck.suits[c])]
    brought = max((deck.values[c] for c in open_cards), default=-99) if other.octopus_on is None else -99

    @functools.cache
    def chance(gap: int) -> float:
        share = sum(v >= gap for v in unseen) / max(len(unseen), 1)
        return max(1 - (1 - share) ** other.hand_count, 0.9 if brought >= gap else 0.0)

    return chance
