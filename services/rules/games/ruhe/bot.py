"""A sensible player, by its own view only: no talk, no memory.

It places where the grid stays fillable and cheap, pays with what it needs least, keeps a finish card, offers its share
at the departure and spends compasses on violet storms first.
"""

import math
from collections.abc import Sequence

from services.rules.game import Draws
from services.rules.games.ruhe import cards
from services.rules.games.ruhe import moves as a
from services.rules.games.ruhe.model import MOST_COMPASSES, ROWS, WIDTH, Colour
from services.rules.games.ruhe.moves import Action
from services.rules.games.ruhe.outlook import Outlook
from services.rules.games.ruhe.table import OfferDecision, Position, WindowDecision

MONSTER_GONE = 8.0
BEGINNING = 12.0  # what a compass is worth to who can place nothing at all
FEW = 2  # seats
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
            spent, gain = (card, *pay), outlook.place(cards.number(card), cell)
            return gain + _earn(outlook) * _earns(outlook, cell, spent) - outlook.price(spent)
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
    if position.compasses_earned >= MOST_COMPASSES or position.compasses:
        return 0.0
    worth = max((COMPASS[storm.colour] for storm in position.storms), default=0.0)
    is_bound = any(storm.colour is Colour.ORANGE and storm.seat == outlook.seat for storm in position.storms)
    return BEGINNING if is_bound and not any(outlook.grid) else worth


def _earns(outlook: Outlook, cell: int, spent: tuple[str, ...]) -> int:
    """How many compasses a placement earns: for the hand that it empties, and for a row of consecutive numbers."""
    row = list(outlook.grid[cell - cell % WIDTH : cell - cell % WIDTH + WIDTH])
    row[cell % WIDTH] = cards.number(spent[0])
    is_consecutive = all(row) and row[-1] - row[0] == WIDTH - 1
    return (len(spent) == len(outlook.hand)) + is_consecutive


def _lift(outlook: Outlook, storm: str) -> float:
    """Far above any other action, or far below: violet storms come first, then orange ones.

    Where more than two play, of whom an orange or yellow storm binds but one, a compass is kept for each violet storm
    that may still come.
    """
    if storm[0] == "V":
        return 100.0
    position = outlook.position
    known = {*position.gone, *(active.storm for active in position.storms)}
    if isinstance(position.pending, WindowDecision):
        known.add(position.pending.storm)
    kept = sum(name[0] == "V" for name in known - set(position.gone))
    if len(position.seats) > FEW and any(seat.pile_size for seat in position.seats):
        kept += sum(violet not in known for violet in ("V1", "V2"))
    return (99.0 if storm[0] == "O" else 98.0) if position.compasses > kept else -100.0
