"""Paths: which ones a ship may sail, why others are refused, and what they lead to (SPEC 7.4).

Enumeration is the hot spot of the game. What a ship can do follows from where it lies, how it faces, its allowances and
the ships near it, so the answer is remembered by exactly these; between two moves most ships' answers stay the same.
"""

import functools
from dataclasses import dataclass, field
from enum import IntEnum

from services.rules.game import Illegal
from services.rules.games.seeschlacht.action import MoveShip
from services.rules.games.seeschlacht.board import load_board, mask_of
from services.rules.games.seeschlacht.model import FLEETS, NOWHERE, SHIPS, State, turned
from services.rules.games.seeschlacht.wind import Allowances, allowances

LETTERS = frozenset("FLRX")
_TURNS = (("L", -1), ("R", 1))


class Group(IntEnum):
    """From which group the legal paths of a ship are taken (R-SEE-16)."""

    CLEAN = 1
    ENEMY_ANCHOR = 2
    RAM = 3
    STUCK = 4


@dataclass(frozen=True, slots=True)
class Moves:
    """The legal moves of a ship, in ASCII order of their paths, and their group (STUCK if there are none)."""

    group: Group
    moves: tuple[MoveShip, ...]
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class Spot:
    """A ship during its move: field, facing, steps used, enemy anchor places entered, and whether it just turned."""

    place: int
    facing: int
    used: int = 0
    entered: int = 0
    has_turned: bool = False


@dataclass(frozen=True, slots=True)
class _Endings:
    """The endings found, each with its number of enemy anchor places, e(path)."""

    complete: dict[str, int] = field(default_factory=dict)
    ram: dict[str, int] = field(default_factory=dict)
    stuck: dict[str, int] = field(default_factory=dict)


def has_duty(state: State, ship: int) -> bool:
    """Whether the ship must be moved before its seat may end MOVE (R-SEE-15)."""
    place = state.places[ship]
    return (
        place != NOWHERE
        and ship not in state.moved
        and place not in load_board().usable[ship]
        and allowances(state, ship)[state.facings[ship]] > 0
    )


def list_moves(state: State, ship: int) -> Moves:
    """The legal moves of a ship that has not moved this turn (7.4)."""
    return _moves(state, ship, mask_of(state.places))


def list_fleet_moves(state: State) -> list[MoveShip]:
    """The legal moves of all ships of the seat on turn, in canonical order (SPEC 10)."""
    occupied = mask_of(state.places)
    return [move for ship in _unmoved(state) for move in _moves(state, ship, occupied).moves]


def has_move(state: State) -> bool:
    """Whether some ship of the seat on turn has a legal move."""
    occupied = mask_of(state.places)
    return any(_moves(state, ship, occupied).moves for ship in _unmoved(state))


def has_open_duty(state: State) -> bool:
    """Whether some ship of the seat on turn still has to move."""
    return any(has_duty(state, ship) for ship in FLEETS[state.seat])


def _unmoved(state: State) -> list[int]:
    return [ship for ship in FLEETS[state.seat] if state.places[ship] != NOWHERE and ship not in state.moved]


def _moves(state: State, ship: int, occupied: int) -> Moves:
    place = state.places[ship]
    near = occupied & load_board().reach[place] & ~(1 << place)
    return _choose(ship, place, state.facings[ship], allowances(state, ship), near)


@functools.lru_cache(maxsize=1 << 13)
def _choose(ship: int, place: int, facing: int, allowed: Allowances, near: int) -> Moves:
    """The first group that is not empty (R-SEE-16). `near` is the mask of the other ships that matter."""
    endings = _explore(ship, Spot(place, facing), allowed, near)
    must = place not in load_board().usable[ship] and allowed[facing] > 0
    clean = [path for path, entered in endings.complete.items() if not entered]
    if clean:
        return _offer(ship, Group.CLEAN, clean)
    if must and endings.complete:
        return _offer(ship, Group.ENEMY_ANCHOR, _fewest(endings.complete))
    if must and endings.ram:
        return _offer(ship, Group.RAM, _fewest(endings.ram))
    stuck = _fewest(endings.stuck) if must else [path for path, entered in endings.stuck.items() if not entered]
    longest = max(map(len, stuck), default=0)
    return _offer(ship, Group.STUCK, [path for path in stuck if len(path) == longest])


def _offer(ship: int, group: Group, paths: list[str]) -> Moves:
    return Moves(group, tuple(MoveShip(SHIPS[ship], path) for path in sorted(paths)), frozenset(paths))


def _fewest(endings: dict[str, int]) -> list[str]:
    fewest = min(endings.values(), default=0)
    return [path for path, entered in endings.items() if entered == fewest]


def _explore(ship: int, start: Spot, allowed: Allowances, near: int) -> _Endings:
    """All endings from `start`."""
    board = load_board()
    ahead, usable, hostile = board.passable[ship], board.usable[ship], board.hostile[ship]
    found = _Endings()

    def sail(path: str, place: int, facing: int, entered: int, *, has_turned: bool) -> None:
        there = ahead[place][facing]
        has_room = len(path) < allowed[facing]
        if path and (not has_room or (not has_turned and place in usable)):
            found.complete[path] = entered
        elif has_turned and there == NOWHERE:
            found.stuck[path] = entered
        if has_room and there != NOWHERE:
            if near >> there & 1:
                found.ram[path + "X"] = entered
            else:
                sail(path + "F", there, facing, entered + (there in hostile), has_turned=False)
        if not has_turned and (has_room or not path):
            for letter, step in _TURNS:
                sail(path + letter, place, turned(facing, step), entered, has_turned=True)

    sail("", start.place, start.facing, 0, has_turned=False)
    found.complete.update(dict.fromkeys(_harbour_moves(ship, start, near), 0))
    return found


def _harbour_moves(ship: int, start: Spot, near: int) -> list[str]:
    """One step or turn within an own harbour, whatever the wind (R-SEE-14)."""
    board = load_board()
    harbour = board.harbour[start.place]
    if harbour not in board.friendly[ship]:
        return []
    there = board.ahead[start.place][start.facing]
    is_free = there != NOWHERE and board.harbour[there] == harbour and not near >> there & 1
    return ["F", "L", "R"] if is_free else ["L", "R"]


def check_path(state: State, ship: int, path: str) -> None:
    """Raises Illegal unless the path is a legal one of the ship."""
    if ship in state.moved:
        raise Illegal("ALREADY_MOVED")
    if not path or not LETTERS.issuperset(path) or "X" in path[:-1]:
        raise Illegal("PATH_MALFORMED")
    legal = list_moves(state, ship)
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
