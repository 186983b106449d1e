"""How good a table is for all players, by what lies open on it. Only the bot asks.

Sets of spaces are bit masks, so that looking one turn ahead costs some ten microseconds.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
_ALL_DICE = 0b111111
_NO_LOSS = (0.0,) * 6
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

    fleet: Fleet = field(compare=False)
    is_big: bool
    boats: tuple[str, ...]
    pirates: tuple[str, ...]
    cards: tuple[int, ...]
    spent: int = 0  # cards removed on the way here

    def sail(self, boat: int, path: Sequence[str], seat: int) -> "Table":
        """After a boat of the seat's choice took the path, captives freed included."""
        caught = any(space in self.pirates for space in path)
        end = PRISON if caught else HOME if path[-1] in board.load().goals else path[-1]
        boats = (*self.boats[:boat], end, *self.boats[boat + 1 :])
        entered = self.is_big and self.boats[boat] not in board.load().hideouts
        fee = int(entered and any(space in board.load().hideouts for space in path))
        after = Table(self.fleet, self.is_big, boats, self.pirates, self.cards, self.spent + fee)
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
        return Table(self.fleet, self.is_big, tuple(boats), self.pirates, self.cards, spent)

    def raid(self, pirate: int, points: int) -> "Table":
        """After a pirate ship sailed."""
        course = board.load().courses[self.pirates[pirate], points]
        pirates = (*self.pirates[:pirate], course[-1], *self.pirates[pirate + 1 :])
        boats = tuple(PRISON if place in course else place for place in self.boats)
        return Table(self.fleet, self.is_big, boats, pirates, self.cards, self.spent)

    def can_raid(self, pirate: int, points: int) -> bool:
        """Whether no other ship bars the way (R-PIR-36)."""
        course = board.load().courses[self.pirates[pirate], points]
        return not self.is_big or not any(s in course for i, s in enumerate(self.pirates) if i != pirate)


def judge(table: Table, seat: int) -> float:
    """What the table is worth when `seat` is on turn next; more is better."""
    captives = table.boats.count(PRISON)
    free = len(table.boats) - captives - table.boats.count(HOME)
    if not free:
        return -_END if captives else _END
    worth, to_ring = chart().worth, chart().to_ring
    total = sum(map(worth.__getitem__, table.boats)) - _WORTH_CARD * table.spent
    if captives:
        nearest = min(to_ring[place] for place in table.boats if is_free(place))
        total -= captives * (_HASTE * nearest + _ALARM / free)
    return total - _peril(table, seat) * (1 + captives / free)


def _peril(table: Table, seat: int) -> float:
    """What the dice of the next turns are expected to cost, the best use made of each roll."""
    raids = _raids(table)
    seats = len(table.cards)
    bits = chart().bits
    pirates = sum({bits[space] for space in table.pirates})
    sails = (_sails(_movable(table, (seat + ahead) % seats), pirates) for ahead in range(seats))
    return sum(_PATIENCE[ahead] * _expect(costs, raids) for ahead, costs in enumerate(sails))


def _expect(sails: Sequence[float], raids: Sequence[float]) -> float:
    """The mean over two dice of the least loss: one for a boat, the other for a pirate ship."""
    if not any(sails):  # then the lower of the two raids counts, which sorting gives at once
        return sum(loss * (11 - 2 * i) for i, loss in enumerate(sorted(raids))) / 36 if any(raids) else 0.0
    pairs = (
        min(sails[a] + raids[b], sails[b] + raids[a]) * (1 if a == b else 2) for a in range(6) for b in range(a, 6)
    )
    return sum(pairs) / 36


def _raids(table: Table) -> list[float]:
    """For each die, the least that a pirate ship moved by it costs."""
    bits, worth = chart().bits, chart().worth
    fleet = sum({bits[place] for place in table.boats})
    best = []
    for courses in _open_courses(table.pirates, table.is_big):
        if all(course & fleet for course in courses):
            losses = [[worth[s] - _WORTH_CAPTIVE for s in table.boats if bits[s] & course] for course in courses]
            best.append(min(map(sum, losses)))
        else:
            best.append(0.0)
    return best


@functools.lru_cache(maxsize=1 << 14)
def _open_courses(pirates: tuple[str, ...], is_big: bool) -> tuple[Masks, ...]:
    """For each die the courses that pirate ships may take; never none (R-PIR-36)."""
    bits, courses = chart().bits, chart().courses
    ships = [bits[space] for space in pirates]
    barred = [sum(set(ships[:i] + ships[i + 1 :])) if is_big else 0 for i in range(len(ships))]
    return tuple(tuple(courses[s][d] for i, s in enumerate(pirates) if not courses[s][d] & barred[i]) for d in range(6))


@functools.lru_cache(maxsize=1 << 16)
def _sails(boats: tuple[str, ...], pirates: int) -> Sequence[float]:
    """For each die, the least that moving one of these boats with it costs: nothing, or the boat."""
    safe = functools.reduce(int.__or__, (_safe_dice(place, pirates) for place in boats))
    if safe == _ALL_DICE:
        return _NO_LOSS
    loss = min(chart().worth[place] for place in boats) - _WORTH_CAPTIVE
    return [0.0 if safe & 1 << d else loss for d in range(6)]


@functools.lru_cache(maxsize=1 << 16)
def _safe_dice(place: str, pirates: int) -> int:
    """The dice, as bits, with which a boat finds a way past no pirate ship."""
    routes = chart().routes[place]
    return sum(1 << d for d in range(6) if any(not mask & pirates for mask in routes[d]))


def _movable(table: Table, seat: int) -> tuple[str, ...]:
    """Where the boats are that the seat may move: its own, or else all free ones, which is near enough."""
    boats = table.boats
    for colour in table.fleet.seat_colours[seat]:
        if free := tuple([boats[i] for i in table.fleet.of_colour[colour] if is_free(boats[i])]):
            return free
    return tuple(filter(is_free, boats))
