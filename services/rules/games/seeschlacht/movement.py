"""Paths: which ones a ship may sail, why others are refused, and what they lead to (SPEC 7.4).

Enumeration is the hot spot of the game. What a ship can do follows from its seat and kind, where it lies, how it
faces, its allowances and the ships on fields that it may come to, so the answer is remembered by exactly these; between
two moves most ships' answers stay the same.
"""

import functools
from dataclasses import dataclass
from enum import IntEnum

from services.rules.game import Illegal
from services.rules.games.seeschlacht.action import MoveShip
from services.rules.games.seeschlacht.board import load_board, mask_of
from services.rules.games.seeschlacht.model import (
    FLEET,
    FLEETS,
    MERCHANTS,
    NOWHERE,
    SHIPS,
    State,
    is_merchant,
    seat_of,
    turned,
)
from services.rules.games.seeschlacht.wind import Allowances, allowances

LETTERS = frozenset("FLRX")
_LEFT, _RIGHT = (tuple(turned(d, step) for d in range(7)) for step in (-1, 1))  # by direction, 0 unused
_LIKE = tuple(FLEET * seat_of(ship) + (0 if is_merchant(ship) else MERCHANTS) for ship in range(len(SHIPS)))  # the
# first ship of the seat and kind, by ship: where one of them can go, all can


class Group(IntEnum):
    """From which group the legal paths of a ship are taken (R-SEE-16)."""

    CLEAN = 1
    ENEMY_ANCHOR = 2
    RAM = 3
    STUCK = 4


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The legal paths of a ship, in ASCII order, and their group (STUCK if there are none).

    `met` is the mask of the fields that were looked at: ships on others change nothing.
    """

    group: Group
    paths: tuple[str, ...]
    met: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A ship during its move: field, facing, steps used, enemy anchor places entered, and whether it just turned."""

    place: int
    facing: int
    used: int = 0
    entered: int = 0
    has_turned: bool = False


def has_duty(state: State, ship: int) -> bool:
    """Whether the ship must be moved before its seat may end MOVE (R-SEE-15)."""
    place = state.places[ship]
    return (
        place != NOWHERE
        and ship not in state.moved
        and place not in load_board().usable[ship]
        and allowances(state, ship)[state.facings[ship]] > 0
    )


def list_paths(state: State, ship: int) -> Choice:
    """The legal paths of a ship that has not moved this turn (7.4)."""
    return _choice(state, ship, mask_of(state.places))


def list_fleet_moves(state: State) -> list[MoveShip]:
    """The legal moves of all ships of the seat on turn, in canonical order (SPEC 10)."""
    occupied = mask_of(state.places)
    return [move for ship in _unmoved(state) for move in _name(ship, _choice(state, ship, occupied))]


def has_move(state: State) -> bool:
    """Whether some ship of the seat on turn has a legal move."""
    occupied = mask_of(state.places)
    return any(_choice(state, ship, occupied).paths for ship in _unmoved(state))


def has_open_duty(state: State) -> bool:
    """Whether some ship of the seat on turn still has to move."""
    return any(has_duty(state, ship) for ship in FLEETS[state.seat])


def forget() -> None:
    """Empties what is remembered, so that somebody can measure what finding it costs."""
    _choose.cache_clear()
    _name.cache_clear()


def _unmoved(state: State) -> list[int]:
    return [ship for ship in FLEETS[state.seat] if state.places[ship] != NOWHERE and ship not in state.moved]


def _choice(state: State, ship: int, occupied: int) -> Choice:
    like, place, facing, allowed = _LIKE[ship], state.places[ship], state.facings[ship], allowances(state, ship)
    freely = _choose(like, place, facing, allowed, 0)
    near = occupied & freely.met
    return _choose(like, place, facing, allowed, near) if near else freely


class _Search:
    """Finds the endings of a ship, each with its number of enemy anchor places, e(path).

    `met` is the mask of the fields that were looked at.
    """

    __slots__ = ("ahead", "allowed", "complete", "hostile", "met", "near", "ram", "stuck", "usable")

    def __init__(self, ship: int, allowed: Allowances, near: int) -> None:
        board = load_board()
        self.ahead, self.usable, self.hostile = board.passable[ship], board.usable[ship], board.hostile[ship]
        self.allowed, self.near, self.met = allowed, near, 0
        self.complete: dict[str, int] = {}
        self.ram: dict[str, int] = {}
        self.stuck: dict[str, int] = {}

    def begin(self, place: int, facing: int) -> None:
        """Tries every path from there; without an allowance a turn is left (R-SEE-12)."""
        if self.allowed[facing]:
            self._sail("", place, facing, 0, has_turned=False)
        else:
            self._turn("", place, facing, 0)

    def _sail(self, path: str, place: int, facing: int, entered: int, *, has_turned: bool) -> None:
        """Goes on where steps are left."""
        there = self.ahead[place][facing]
        if there == NOWHERE:
            if has_turned:
                self.stuck[path] = entered
        else:
            self.met |= 1 << there
            if self.near >> there & 1:
                self.ram[path + "X"] = entered
            else:
                self._step(path + "F", there, facing, entered + (there in self.hostile))
        if not has_turned:
            self._turn(path, place, facing, entered)

    def _step(self, path: str, place: int, facing: int, entered: int) -> None:
        is_over = len(path) >= self.allowed[facing]
        if is_over or place in self.usable:
            self.complete[path] = entered
        if not is_over:
            self._sail(path, place, facing, entered, has_turned=False)

    def _turn(self, path: str, place: int, facing: int, entered: int) -> None:
        for letter, side in (("L", _LEFT[facing]), ("R", _RIGHT[facing])):
            if len(path) + 1 >= self.allowed[side]:
                self.complete[path + letter] = entered
            else:
                self._sail(path + letter, place, side, entered, has_turned=True)


@functools.lru_cache(maxsize=1 << 13)
def _choose(ship: int, place: int, facing: int, allowed: Allowances, near: int) -> Choice:
    """The first group that is not empty (R-SEE-16). `near` is the mask of the other ships that matter."""
    endings = _Search(ship, allowed, near)
    endings.begin(place, facing)
    endings.complete.update(dict.fromkeys(_harbour_moves(ship, place, facing, near), 0))
    must = place not in load_board().usable[ship] and allowed[facing] > 0
    met = (endings.met | mask_of([endings.ahead[place][facing]])) & ~(1 << place)
    clean = [path for path, entered in endings.complete.items() if not entered]
    if clean:
        return Choice(Group.CLEAN, tuple(sorted(clean)), met)
    if must and endings.complete:
        return Choice(Group.ENEMY_ANCHOR, tuple(sorted(_fewest(endings.complete))), met)
    if must and endings.ram:
        return Choice(Group.RAM, tuple(sorted(_fewest(endings.ram))), met)
    stuck = _fewest(endings.stuck) if must else [path for path, entered in endings.stuck.items() if not entered]
    longest = max(map(len, stuck), default=0)
    return Choice(Group.STUCK, tuple(sorted(path for path in stuck if len(path) == longest)), met)


@functools.lru_cache(maxsize=1 << 13)
def _name(ship: int, choice: Choice) -> tuple[MoveShip, ...]:
    """The actions that choose among the paths."""
    return tuple(MoveShip(SHIPS[ship], path) for path in choice.paths)


def _fewest(endings: dict[str, int]) -> list[str]:
    fewest = min(endings.values(), default=0)
    return [path for path, entered in endings.items() if entered == fewest]


def _harbour_moves(ship: int, place: int, facing: int, near: int) -> list[str]:
    """One step or turn within an own harbour, whatever the wind (R-SEE-14)."""
    board = load_board()
    harbour = board.harbour[place]
    if harbour not in board.friendly[ship]:
        return []
    there = board.ahead[place][facing]
    is_free = there != NOWHERE and board.harbour[there] == harbour and not near >> there & 1
    return ["F", "L", "R"] if is_free else ["L", "R"]


def check_path(state: State, ship: int, path: str) -> None:
    """Raises Illegal unless the path is a legal one of the ship."""
    if ship in state.moved:
        raise Illegal("ALREADY_MOVED")
    if not path or not LETTERS.issuperset(path) or "X" in path[:-1]:
        raise Illegal("PATH_MALFORMED")
    legal = list_paths(state, ship)
    if path not in legal.paths:
        raise Illegal(_find_fault(state, ship, path, legal.group))


def _find_fault(state: State, ship: int, path: str, group: Group) -> str:
    allowed = allowances(state, ship)
    spot = Spot(state.places[ship], state.facings[ship])
    for i, letter in enumerate(path):
        if code := _refuse_letter(state, ship, spot, letter, allowed, is_first=i == 0):
            return code
        spot = take_step(ship, spot, letter)
    return _judge_ending(ship, spot, path, allowed, group)


def _refuse_letter(state: State, ship: int, spot: Spot, letter: str, allowed: Allowances, *, is_first: bool) -> str:
    """Why the letter is not admissible here, "" if it is."""
    board, is_turn = load_board(), letter in "LR"
    if spot.used >= allowed[spot.facing] and not (is_first and is_turn):
        return "NO_ALLOWANCE" if is_first else "MOVE_TOO_LONG"
    if is_turn:
        return "MUST_SAIL_AHEAD" if spot.has_turned else ""
    there = board.ahead[spot.place][spot.facing]
    if there == NOWHERE:
        return "LAND_AHEAD"
    if board.passable[ship][spot.place][spot.facing] == NOWHERE:
        return "NEUTRAL_HARBOUR_CLOSED"
    is_empty = there == state.places[ship] or there not in state.places
    if letter == "F":
        return "" if is_empty else "SHIP_AHEAD"
    return "NOTHING_TO_RAM" if is_empty else ""


def _judge_ending(ship: int, spot: Spot, path: str, allowed: Allowances, group: Group) -> str:
    """Why a path of admissible letters is not legal; `group` is what the legal ones are taken from."""
    board = load_board()
    is_over = spot.used >= allowed[spot.facing]
    if path[-1] == "X":
        return "ENEMY_ANCHOR_AVOIDABLE" if group is Group.RAM else "RAM_NOT_FORCED"
    if is_over or (path[-1] == "F" and spot.place in board.usable[ship]):
        return "ENEMY_ANCHOR_AVOIDABLE"
    is_stuck = spot.has_turned and board.passable[ship][spot.place][spot.facing] == NOWHERE
    if is_stuck and group is Group.STUCK and spot.entered:
        return "ENEMY_ANCHOR_AVOIDABLE"
    return "MOVE_INCOMPLETE"


def take_step(ship: int, spot: Spot, letter: str) -> Spot:
    """The ship after one admissible letter; X leaves it where it is."""
    if letter == "F":
        board = load_board()
        there = board.passable[ship][spot.place][spot.facing]
        return Spot(there, spot.facing, spot.used + 1, spot.entered + (there in board.hostile[ship]))
    if letter == "X":
        return Spot(spot.place, spot.facing, spot.used + 1, spot.entered)
    facing = turned(spot.facing, -1 if letter == "L" else 1)
    return Spot(spot.place, facing, spot.used + 1, spot.entered, has_turned=True)
