"""How good a table is for all players, by what lies open on it. Only the bot asks.

Sets of spaces are bit masks, so that looking one turn ahead costs some ten microseconds.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from services.rules.games.piraten import board
from services.rules.games.piraten.fleet import Fleet, is_free
from services.rules.games.piraten.model import HOME, ISLAND, PRISON

Masks = tuple[int, ...]

_DICE = range(1, 7)
_END = 2000.0  # worth of a match won; of one lost, negative
_WORTH_HOME, _WORTH_CAPTIVE = 115.0, 15.0
_HASTE = 0.5  # what a captive costs for each step of the nearest rescuer to a life ring
_ALARM = 10.0  # what a captive costs when one boat alone is free
_WORTH_CARD = 2.0
_PATIENCE = (1.0, 0.4, 0.2, 0.1)  # how much the turns ahead count, the next one first


@dataclass(frozen=True, slots=True)
class Chart:
    """The board in numbers: a bit for each space, masks of routes and courses, worth and way to a life ring."""

    bits: Mapping[str, int]
    routes: Mapping[str, tuple[Masks, ...]]  # place -> for each die 1 to 6 its routes
    courses: Mapping[str, Masks]  # a pirate's, for each die
    worth: Mapping[str, float]
    to_ring: Mapping[str, int]


@functools.cache
def chart() -> Chart:
    """The chart of the board."""
    table = board.load()
    bits = {space: 1 << i for i, space in enumerate(table.after)} | {ISLAND: 0, PRISON: 0, HOME: 0}
    sailing = [space for space in table.after if space not in table.goals]

    def mask(spaces: Iterable[str]) -> int:
        return functools.reduce(int.__or__, (bits[space] for space in spaces), 0)

    worth = {space: 100.0 - table.distance[space] for space in sailing}
    return Chart(
        bits=bits,
        routes={s: tuple(tuple(map(mask, table.routes[s, n])) for n in _DICE) for s in sailing},
        courses={s: tuple(mask(table.courses[s, n]) for n in _DICE) for s in table.loop},
        worth={**worth, HOME: _WORTH_HOME, PRISON: _WORTH_CAPTIVE},
        to_ring={s: _way_to_ring(s) for s in sailing},
    )


def _way_to_ring(place: str) -> int:
    table, steps = board.load(), 1
    while (place := table.after[place][0]) not in table.rings:
        steps += 1
    return steps


@dataclass(frozen=True, slots=True)
class Table:
    """What the bot looks at: places of boats in boat order, spaces of pirates, cards of seats."""

    fleet: Fleet
    is_big: bool
    boats: tuple[str, ...]
    pirates: tuple[str, ...]
    cards: tuple[int, ...]
    spent: int = field(default=0)  # cards removed on the way here

    def sail(self, boat: int, path: Sequence[str], seat: int) -> "Table":
        """After a boat of the seat's choice took the path, captives freed included."""
        caught = any(space in self.pirates for space in path)
        end = PRISON if caught else HOME if path[-1] in board.load().goals else path[-1]
        boats = (*self.boats[:boat], end, *self.boats[boat + 1 :])
        entered = self.is_big and self.boats[boat] not in board.load().hideouts
        fee = int(entered and any(space in board.load().hideouts for space in path))
        after = replace(self, boats=boats, spent=self.spent + fee)
        return after.free(boat, seat) if end in board.load().rings else after

    def free(self, boat: int, seat: int) -> "Table":
        """After the captives that can be paid for joined the boat on its life ring."""
        boats, cards, spent = list(self.boats), list(self.cards), self.spent
        for i in (i for i, place in enumerate(boats) if place == PRISON):
            owner = self.fleet.owners[i]
            is_gratis = not self.is_big or owner in (None, seat) or self.fleet.owners[boat] is None
            payer = seat if cards[seat] or owner is None else owner
            if is_gratis or cards[payer]:
                boats[i] = boats[boat]
                cards[payer] -= 0 if is_gratis else 1
                spent += 0 if is_gratis else 1
        return replace(self, boats=tuple(boats), spent=spent)

    def raid(self, pirate: int, points: int) -> "Table":
        """After a pirate ship sailed."""
        course = board.load().courses[self.pirates[pirate], points]
        pirates = (*self.pirates[:pirate], course[-1], *self.pirates[pirate + 1 :])
        boats = tuple(PRISON if place in course else place for place in self.boats)
        return replace(self, pirates=pirates, boats=boats)

    def can_raid(self, pirate: int, points: int) -> bool:
        """Whether no other ship bars the way (R-PIR-36)."""
        course = board.load().courses[self.pirates[pirate], points]
        return not self.is_big or not any(s in course for i, s in enumerate(self.pirates) if i != pirate)


def judge(table: Table, seat: int) -> float:
    """What the table is worth when `seat` is on turn next; more is better."""
    free = sum(map(is_free, table.boats))
    captives = table.boats.count(PRISON)
    if not free:
        return -_END if captives else _END
    worth, to_ring = chart().worth, chart().to_ring
    total = sum(map(worth.__getitem__, table.boats)) - _WORTH_CARD * table.spent
    if captives:
        nearest = min(to_ring[place] for place in table.boats if is_free(place))
        total -= captives * (_HASTE * nearest + _ALARM / free)
    return total - _peril(table, seat, 1 + captives / free)


def _peril(table: Table, seat: int, weight: float) -> float:
    """What the dice of the next turns are expected to cost, the best use made of each roll."""
    raids = _raids(table)
    seats = len(table.cards)
    lost = 0.0
    for ahead in range(seats):
        sails = _sails(table, (seat + ahead) % seats)
        pairs = (
            min(sails[a] + raids[b], sails[b] + raids[a]) * (1 if a == b else 2) for a in range(6) for b in range(a, 6)
        )
        lost += _PATIENCE[ahead] * sum(pairs) / 36
    return lost * weight


def _raids(table: Table) -> list[float]:
    """For each die, the least that a pirate ship moved by it costs."""
    bits, worth, courses = chart().bits, chart().worth, chart().courses
    afloat = [(bits[place], worth[place] - _WORTH_CAPTIVE) for place in table.boats if bits[place]]
    fleet = sum({bit for bit, _ in afloat})
    ships = [bits[space] for space in table.pirates]
    best = [_END] * 6
    for i, space in enumerate(table.pirates):
        others = sum(set(ships[:i] + ships[i + 1 :])) if table.is_big else 0
        for d, course in enumerate(courses[space]):
            if course & others:
                break
            cost = sum(loss for bit, loss in afloat if bit & course) if course & fleet else 0.0
            best[d] = min(best[d], cost)
    return best


def _sails(table: Table, seat: int) -> list[float]:
    """For each die, the least that a boat moved by the seat with it costs: nothing, or the boat."""
    pirates = sum({chart().bits[space] for space in table.pirates})
    boats = [table.boats[i] for i in _own(table, seat)] or [place for place in table.boats if is_free(place)]
    best = [_END] * 6
    for place in boats:
        loss = chart().worth[place] - _WORTH_CAPTIVE
        for d, routes in enumerate(chart().routes[place]):
            if best[d]:
                best[d] = min(best[d], 0.0 if any(not mask & pirates for mask in routes) else loss)
    return best


def _own(table: Table, seat: int) -> list[int]:
    for colour in table.fleet.seat_colours[seat]:
        if free := [i for i in table.fleet.of_colour[colour] if is_free(table.boats[i])]:
            return free
    return []
