"""Paths against a second, literal and slow reading of SPEC 7.4, on crowded waters."""

import itertools
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import pytest

from services.rules.game import Illegal
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import notation
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.description import REFUSALS
from services.rules.games.seeschlacht.model import COLOURS, FLEETS, LIMITS, SHIPS, Phase, Settings, State, Wind
from services.rules.games.seeschlacht.movement import check_path, has_duty, list_paths
from services.rules.games.seeschlacht.tests.test_examples import EXAMPLES

CHART = json.loads((resources.files("services.rules.games.seeschlacht") / "data" / "board.json").read_bytes())
WATER = {tuple(p) for p in CHART["water"]}
HARBOUR = {tuple(p): h for h in CHART["harbours"] for p in h["points"]}
ANCHOR = {tuple(a["at"]): h for h in CHART["harbours"] for a in h["anchors"]}
Point = tuple[int, int]


@dataclass(frozen=True)
class Voyage:
    """A path of admissible letters, played through."""

    path: str
    at: Point
    facing: int
    entered: int


class Reading:
    """SPEC 7.4 for one ship, read from the SPEC's state and the file of the chart."""

    def __init__(self, state: Any, ship: str) -> None:
        me = state["ships"][ship]
        self.owner = {"W": "white", "Y": "yellow"}[ship[0]]
        self.is_merchant = ship[1] == "M"
        self.start, self.facing = tuple(me["pos"]), me["dir"]
        self.others = {tuple(s["pos"]) for name, s in state["ships"].items() if s["pos"] and name != ship}
        rose = CHART["roses"][state["wind"]["strength"]]
        wind = state["wind"]["from"]
        heavy = me["hits"] == (1 if self.is_merchant else 2)
        self.allowance = {d: max(0, rose[min((d - wind) % 6, (wind - d) % 6)] - heavy) for d in range(1, 7)}

    def is_passable(self, p: Point) -> bool:
        return p in WATER and (self.is_merchant or HARBOUR.get(p, {}).get("id") != "neutral")

    def is_usable(self, p: Point) -> bool:
        owner = ANCHOR[p]["owner"] if p in ANCHOR else "nobody"
        return owner == self.owner or (owner is None and self.is_merchant)

    def is_hostile(self, p: Point) -> bool:
        return p in ANCHOR and ANCHOR[p]["owner"] not in (None, self.owner)

    def ahead(self, at: Point, facing: int) -> Point:
        dq, dr = CHART["directions"][str(facing)]
        return at[0] + dq, at[1] + dr

    def grow(self, v: Voyage) -> Iterator[Voyage]:
        """The voyages one admissible letter longer."""
        has_room = len(v.path) < self.allowance[v.facing]
        there = self.ahead(v.at, v.facing)
        if (has_room or not v.path) and v.path[-1:] not in ("L", "R"):
            yield Voyage(v.path + "L", v.at, (v.facing - 2) % 6 + 1, v.entered)
            yield Voyage(v.path + "R", v.at, v.facing % 6 + 1, v.entered)
        if has_room and self.is_passable(there):
            if there in self.others:
                yield Voyage(v.path + "X", v.at, v.facing, v.entered)
            else:
                yield Voyage(v.path + "F", there, v.facing, v.entered + self.is_hostile(there))

    def voyages(self) -> list[Voyage]:
        found, front = [], [Voyage("", self.start, self.facing, 0)]
        while front:
            front = [w for v in front if not v.path.endswith("X") for w in self.grow(v)]
            found += front
        return found

    def kind(self, v: Voyage) -> str:
        is_over = len(v.path) >= self.allowance[v.facing]
        if v.path.endswith("X"):
            return "RAM"
        if is_over or (v.path.endswith("F") and self.is_usable(v.at)):
            return "COMPLETE"
        has_turned = v.path[-1] in "LR"
        return "STUCK" if has_turned and not self.is_passable(self.ahead(v.at, v.facing)) else ""

    def harbour_moves(self) -> set[str]:
        harbour = HARBOUR.get(self.start)
        if not harbour or not (harbour["owner"] == self.owner or (harbour["owner"] is None and self.is_merchant)):
            return set()
        there = self.ahead(self.start, self.facing)
        return {"L", "R", *("F" for h in [HARBOUR.get(there)] if h is harbour and there not in self.others)}

    def has_duty(self) -> bool:
        return not self.is_usable(self.start) and self.allowance[self.facing] > 0

    def legal(self) -> tuple[str, list[str]]:
        """The group and its paths."""
        by_kind: dict[str, list[tuple[str, int]]] = {"COMPLETE": [], "RAM": [], "STUCK": []}
        for v in self.voyages():
            if kind := self.kind(v):
                by_kind[kind].append((v.path, v.entered))
        clean = {p for p, e in by_kind["COMPLETE"] if e == 0} | self.harbour_moves()
        if clean:
            return "CLEAN", sorted(clean)
        for kind, group in (("COMPLETE", "ENEMY_ANCHOR"), ("RAM", "RAM"), ("STUCK", "STUCK")):
            least = min((e for _, e in by_kind[kind]), default=0)
            paths = [p for p, e in by_kind[kind] if e == least]
            if self.has_duty() and paths:
                longest = max(map(len, paths)) if kind == "STUCK" else 0
                return group, sorted(p for p in paths if len(p) == longest or kind != "STUCK")
        stuck = [p for p, e in by_kind["STUCK"] if e == 0]
        return "STUCK", sorted(p for p in stuck if len(p) == max(map(len, stuck)))


def crowd(seed: int) -> State:
    """Twenty ships close together somewhere, at random, in a random wind."""
    choose, board = random.Random(seed), load_board()
    state = replace(seeschlacht.initial(Settings(), 2), phase=Phase.MOVE, turn=1, seat=choose.randrange(2))
    centre = choose.choice(sorted(board.anchor)) if seed % 4 else choose.randrange(len(board.fields))
    near = [centre]
    for place in near:
        near += [n for n in board.ahead[place][1:] if n >= 0 and n not in near]
        if len(near) > 45:
            break
    places = choose.sample(near[:45], 20)
    for ship, place in enumerate(places):
        if place in board.neutral and ship % 10 > 2:
            places[ship] = choose.choice([n for n in range(len(board.fields)) if n not in near and n not in places])
    return replace(
        state,
        wind=Wind(choose.choice(COLOURS), choose.randint(1, 6)),
        places=tuple(places),
        facings=tuple(choose.randint(1, 6) for _ in SHIPS),
        hits=tuple(choose.randrange(limit) for limit in LIMITS),
    )


def refusal(state: State, ship: int, path: str) -> str:
    """The code of the refusal, "" for a legal path."""
    try:
        check_path(state, ship, path)
    except Illegal as refused:
        return refused.code
    return ""


def test_legal_paths_are_those_of_a_literal_reading() -> None:
    groups = dict.fromkeys(("CLEAN", "ENEMY_ANCHOR", "RAM", "STUCK"), 0)
    for seed in range(250):
        state = crowd(seed)
        written = notation.state_json(state)
        for ship in FLEETS[state.seat]:
            reading, found = Reading(written, SHIPS[ship]), list_paths(state, ship)
            group, paths = reading.legal()
            assert (found.group.name, list(found.paths)) == (group, paths)
            assert has_duty(state, ship) == reading.has_duty()
            assert paths or not reading.has_duty(), "a ship with duty has a legal path"
            groups[group] += bool(paths)
    assert min(groups.values()) >= 10, f"the sample does not meet every group: {groups}"


@pytest.mark.parametrize("seed", range(4))
def test_any_other_path_is_refused(seed: int) -> None:
    state = crowd(seed)
    for ship in FLEETS[state.seat]:
        legal = set(list_paths(state, ship).paths)
        for length in range(5):
            for letters in itertools.product("FLRX", repeat=length):
                path = "".join(letters)
                code = refusal(state, ship, path)
                assert (not code) == (path in legal)
                assert code in {"", *REFUSALS}


def test_an_endless_path_is_refused() -> None:
    state = crowd(1)
    assert all(refusal(state, ship, "F" * 100_000) for ship in FLEETS[state.seat])


def test_the_examples_meet_every_refusal() -> None:
    codes = {check["code"] for example in EXAMPLES for check in example["checks"] if "code" in check}
    assert codes | {"BAD_OPTIONS"} == REFUSALS.keys() | {"UNKNOWN_ACTION", "BAD_ARGUMENTS"}
