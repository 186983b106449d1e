"""What each ship can do in a state of SPEC 6: chapters 7.4 to 7.6 and 10."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from services.rules.games.seeschlacht.tests.reading.waters import (
    CHART,
    FLEET,
    HARBOUR,
    VECTOR,
    WATER,
    Point,
    go,
    is_hostile,
    is_own,
    is_passable,
    is_usable,
    limit,
    turn,
)

# SPEC 7.6: groups of points (i, j); a shot at (a, b) is blocked if all of a group are land.
BLOCKING = {
    (1, 0): (),
    (0, 1): (),
    (2, 0): (((1, 0),),),
    (0, 2): (((0, 1),),),
    (3, 0): (((1, 0),), ((2, 0),)),
    (0, 3): (((0, 1),), ((0, 2),)),
    (1, 1): (((1, 0), (0, 1)),),
    (2, 1): (((1, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (1, 1))),
    (1, 2): (((1, 0), (0, 1)), ((0, 1), (1, 1)), ((0, 2), (1, 1))),
}


class Voyage(NamedTuple):
    """A path of admissible letters, played through."""

    path: str
    at: Point
    facing: int
    entered: int


class Sea:
    """A state as SPEC 6 writes it, and what is legal in it."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def place(self, ship: str) -> Point:
        """Where a ship afloat is."""
        q, r = self.state["ships"][ship]["pos"]
        return q, r

    def occupied(self) -> dict[Point, str]:
        """The ships by their fields."""
        return {self.place(name): name for name, ship in self.state["ships"].items() if not ship["sunk"]}

    def others(self, ship: str) -> set[Point]:
        """The fields of the other ships."""
        return self.occupied().keys() - {self.place(ship)}

    def afloat(self, seat: str) -> list[str]:
        """The seat's ships that did not sink, in fleet order."""
        return [ship for ship in FLEET[seat] if not self.state["ships"][ship]["sunk"]]

    def allowance(self, ship: str, facing: int) -> int:
        """A(d) of 7.4."""
        wind = self.state["wind"]
        angle = min((facing - wind["from"]) % 6, (wind["from"] - facing) % 6)
        steps: int = CHART["roses"][wind["strength"]][angle]
        is_damaged = bool(self.state["ships"][ship]["hits"] == limit(ship) - 1)
        return max(0, steps - is_damaged)

    def has_duty(self, ship: str) -> bool:
        """Whether the ship must move."""
        me = self.state["ships"][ship]
        if me["sunk"] or ship in self.state["moved"] or is_usable(ship, self.place(ship)):
            return False
        return self.allowance(ship, me["dir"]) > 0

    def refuse_letter(self, ship: str, v: Voyage, letter: str, taken: Collection[Point]) -> str:
        """Why the letter is not admissible after the voyage among other ships, "" if it is."""
        is_first = not v.path
        if len(v.path) >= self.allowance(ship, v.facing) and not (is_first and letter in "LR"):
            return "NO_ALLOWANCE" if is_first else "MOVE_TOO_LONG"
        if letter in "LR":
            return "MUST_SAIL_AHEAD" if v.path[-1:] in ("L", "R") else ""
        there = go(v.at, VECTOR[v.facing])
        if there not in WATER:
            return "LAND_AHEAD"
        if not is_passable(ship, there):
            return "NEUTRAL_HARBOUR_CLOSED"
        if letter == "F":
            return "SHIP_AHEAD" if there in taken else ""
        return "" if there in taken else "NOTHING_TO_RAM"

    def sail(self, ship: str, v: Voyage, letter: str) -> Voyage:
        """The voyage with an admissible letter more."""
        if letter == "F":
            there = go(v.at, VECTOR[v.facing])
            return Voyage(v.path + "F", there, v.facing, v.entered + is_hostile(ship, there))
        turns = {"L": -1, "R": 1, "X": 0}[letter]
        return Voyage(v.path + letter, v.at, turn(v.facing, turns), v.entered)

    def begin(self, ship: str) -> Voyage:
        """The voyage that has not begun."""
        return Voyage("", self.place(ship), self.state["ships"][ship]["dir"], 0)

    def voyages(self, ship: str) -> Iterator[Voyage]:
        """All that begin with the ship as it lies."""
        front, taken = [self.begin(ship)], self.others(ship)
        while front:
            v = front.pop()
            for letter in "FLRX":
                if not v.path.endswith("X") and not self.refuse_letter(ship, v, letter, taken):
                    longer = self.sail(ship, v, letter)
                    front.append(longer)
                    yield longer

    def kind(self, ship: str, v: Voyage) -> str:
        """COMPLETE, RAM, STUCK, or "" for a path that is no ending."""
        if v.path.endswith("X"):
            return "RAM"
        is_over = len(v.path) >= self.allowance(ship, v.facing)
        if is_over or (v.path.endswith("F") and is_usable(ship, v.at)):
            return "COMPLETE"
        is_before_land = not is_passable(ship, go(v.at, VECTOR[v.facing]))
        return "STUCK" if v.path[-1] in "LR" and is_before_land else ""

    def harbour_moves(self, ship: str) -> set[str]:
        """The one-letter paths within an own harbour."""
        here = self.begin(ship)
        harbour, there = HARBOUR.get(here.at), go(here.at, VECTOR[here.facing])
        if not is_own(ship, harbour):
            return set()
        return {"L", "R"} | ({"F"} if HARBOUR.get(there) == harbour and there not in self.occupied() else set())

    def legal_paths(self, ship: str) -> tuple[str, list[str]]:
        """The group and its paths."""
        found: dict[str, list[Voyage]] = {"COMPLETE": [], "RAM": [], "STUCK": [], "": []}
        for v in self.voyages(ship):
            found[self.kind(ship, v)].append(v)
        if clean := {v.path for v in found["COMPLETE"] if not v.entered} | self.harbour_moves(ship):
            return "CLEAN", sorted(clean)
        stuck = [v for v in found["STUCK"] if not v.entered]
        if self.has_duty(ship):
            for kind, group in (("COMPLETE", "ENEMY_ANCHOR"), ("RAM", "RAM")):
                if found[kind]:
                    return group, sorted(v.path for v in _fewest(found[kind]))
            stuck = _fewest(found["STUCK"])
        return "STUCK", sorted(v.path for v in stuck if len(v.path) == max(len(w.path) for w in stuck))

    def refuse_path(self, ship: str, path: str) -> str:
        """The code for a path that is not legal, "" for one that is."""
        return self.judge_path(ship, path, *self.legal_paths(ship))

    def judge_path(self, ship: str, path: str, group: str, legal: list[str]) -> str:
        """As `refuse_path`, for somebody who knows the legal paths."""
        if not path or set(path) - set("FLRX") or "X" in path[:-1]:
            return "PATH_MALFORMED"
        if path in legal:
            return ""
        v, taken = self.begin(ship), self.others(ship)
        for letter in path:
            if code := self.refuse_letter(ship, v, letter, taken):
                return code
            v = self.sail(ship, v, letter)
        kind = self.kind(ship, v)
        if kind == "COMPLETE" or (kind == "RAM" and group == "RAM") or (kind == "STUCK" == group and v.entered):
            return "ENEMY_ANCHOR_AVOIDABLE"
        return "RAM_NOT_FORCED" if kind == "RAM" else "MOVE_INCOMPLETE"

    def aim(self, ship: str, target: str) -> tuple[str, int]:
        """The code that refuses the shot, "" for none, and the line that the target stands on."""
        goal, start, facing = self.place(target), self.place(ship), self.state["ships"][ship]["dir"]
        if HARBOUR.get(goal) == "neutral":
            return "TARGET_IN_NEUTRAL_HARBOUR", 0
        for side in (1, -1):
            u, v = VECTOR[turn(facing, side)], VECTOR[turn(facing, 2 * side)]
            points = {(i, j): go(go(start, u, i), v, j) for i in range(4) for j in range(4)}
            for (a, b), groups in BLOCKING.items():
                if points[a, b] != goal:
                    continue
                if any(all(points[p] not in WATER for p in group) for group in groups):
                    return "LAND_IN_THE_WAY", 0
                between = [points[n * (a > 0), n * (b > 0)] for n in range(1, a + b) if not a or not b]
                return ("TARGET_COVERED" if self.occupied().keys() & between else ""), a + b
        return "OUT_OF_ARC", 0


def _fewest(voyages: list[Voyage]) -> list[Voyage]:
    return [v for v in voyages if v.entered == min(w.entered for w in voyages)]
