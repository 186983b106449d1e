"""A sensible player, by its own view only: no talk, no memory.

It places where the grid stays fillable and cheap, pays with what it needs least, keeps a finish card, offers its share
at the departure and spends compasses on violet storms first.
"""

import math
from collections.abc import Sequence

from services.rules.game import Draws
from services.rules.games.ruhe import cards
from services.rules.games.ruhe import moves as a
from services.rules.games.ruhe.model import ROWS, WIDTH, Colour
from services.rules.games.ruhe.moves import Action
from services.rules.games.ruhe.outlook import Outlook
from services.rules.games.ruhe.table import OfferDecision, Position, WindowDecision

MONSTER_GONE = 8.0
COMPASS = {Colour.VIOLET: 5.0, Colour.ORANGE: 2.0, Colour.YELLOW: 2.0}  # what lifting a storm is worth


def choose(position: Position, seat: int, actions: Sequence[Action], _draws: Draws) -> Action:
    """The action that looks best, the first of equals."""
    if isinstance(position.pending, OfferDecision):
        return _offer(position.pending, seat, actions)
    outlook = Outlook(position, seat)
    return max(actions, key=lambda action: _rate(outlook, action))


def _offer(talk: OfferDecision, seat: int, actions: Sequence[Action]) -> Action:
    """An even share of what is missing among those who still speak; the last one makes the sum right."""
    said = [other.n for other in talk.seats if other.n is not None]
    silent = len(talk.seats) - len(said)
    share = math.ceil((talk.required - sum(said)) / max(1, silent))
    offers = [action for action in actions if isinstance(action, a.Offer)]
    if talk.seats[seat].n is not None or not offers:
        return actions[0]
    return min(offers, key=lambda offer: abs(offer.n - share))


def _rate(outlook: Outlook, action: Action) -> float:  # noqa: C901, PLR0911 - one line per action
    match action:
        case a.PlayStart() | a.PlayFinish():
            return math.inf
        case a.Place(card, cell, pay):
            return outlook.place(cards.number(card), cell) - outlook.price((card, *pay))
        case a.PlayMonster(_, cell):
            return outlook.sink(cell) + MONSTER_GONE
        case a.DiscardTwo(thrown) | a.StormDiscard(thrown):
            return -outlook.price(thrown)
        case a.DiscardHand():
            return _earn(outlook) - outlook.price(outlook.hand)
        case a.RockMove(row):
            return -_gaps(outlook, row)
        case a.RockKeep(pay):
            return -ROWS - outlook.price(pay)
        case a.DepartDiscard(thrown, blind):
            return -outlook.price(thrown, blind)
        case a.StormRow(row):
            return -_gaps(outlook, row)
        case a.UseCompass(storm):
            return _lift(outlook, storm)
        case a.StormPass() | a.Offer():
            return 0.0


def _gaps(outlook: Outlook, row: int) -> float:
    return float(outlook.grid[row * WIDTH : row * WIDTH + WIDTH].count(0))


def _earn(outlook: Outlook) -> float:
    """What a compass more is worth now."""
    position = outlook.position
    if position.compasses_earned >= 6 or position.compasses:
        return 0.0
    return max((COMPASS[storm.colour] for storm in position.storms), default=0.0)


def _lift(outlook: Outlook, storm: str) -> float:
    """Far above any other action, or far below: a compass is kept for each violet storm that may still come."""
    position = outlook.position
    known = {*position.gone, *(active.storm for active in position.storms)}
    if isinstance(position.pending, WindowDecision):
        known.add(position.pending.storm)
    is_early = any(seat.pile_size for seat in position.seats)
    to_come = sum(violet not in known for violet in ("V1", "V2")) if is_early else 0
    if storm[0] == "V":
        return 100.0
    violets = sum(name[0] == "V" for name in known - set(position.gone))
    return 50.0 if position.compasses > to_come + violets else -100.0
