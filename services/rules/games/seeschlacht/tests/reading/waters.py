"""The chart's file and the words of SPEC 2, 4 and 7."""

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

Point = tuple[int, int]

CHART = json.loads((resources.files("services.rules.games.seeschlacht") / "data" / "board.json").read_bytes())
WATER = {tuple(point) for point in CHART["water"]}
VECTOR: Mapping[int, Point] = {int(d): (v[0], v[1]) for d, v in CHART["directions"].items()}
HARBOUR: Mapping[Point, str] = {tuple(p): h["id"] for h in CHART["harbours"] for p in h["points"]}
OWNER: Mapping[str, str | None] = {h["id"]: h["owner"] for h in CHART["harbours"]}
ANCHOR: Mapping[Point, str] = {tuple(a["at"]): h["id"] for h in CHART["harbours"] for a in h["anchors"]}
DOTTED = {tuple(a["at"]) for h in CHART["harbours"] for a in h["anchors"] if a["dot"]}
BATTERY: Mapping[Point, Any] = {tuple(p): b for b in CHART["batteries"] for p in b["fields"]}
START: Mapping[str, Any] = {berth["ship"]: berth for fleet in CHART["start"].values() for berth in fleet}

KINDS = ("M1", "M2", "M3", "W1", "W2", "W3", "W4", "W5", "W6", "W7")
FLEET = {seat: [f"{seat[0].upper()}{kind}" for kind in KINDS] for seat in CHART["start"]}
SHIPS = [*FLEET["white"], *FLEET["yellow"]]
OTHER = {"white": "yellow", "yellow": "white"}
ARGUMENTS: Mapping[str, Mapping[str, type]] = {
    "SetFacing": {"ship": str, "dir": int},
    "DefaultFacings": {},
    "KeepWind": {},
    "ChangeWind": {},
    "ChangeStrength": {},
    "MoveShip": {"ship": str, "path": str},
    "EndMovement": {},
    "Load": {"ship": str},
    "EndLoading": {},
    "Repair": {"ship": str},
    "EndRepairs": {},
    "FireBattery": {"target": str},
    "EndBatteryFire": {},
    "Fire": {"ship": str, "target": str},
    "EndFiring": {},
}
PHASES: Mapping[str, tuple[str, ...]] = {
    "SETUP": ("SetFacing", "DefaultFacings"),
    "WIND": ("KeepWind", "ChangeWind", "ChangeStrength"),
    "MOVE": ("MoveShip", "EndMovement"),
    "LOAD": ("Load", "EndLoading"),
    "REPAIR": ("Repair", "EndRepairs"),
    "BATTERY": ("FireBattery", "EndBatteryFire"),
    "FIRE": ("Fire", "EndFiring"),
}


def seat_of(ship: str) -> str:
    """The owner."""
    return {"W": "white", "Y": "yellow"}[ship[0]]


def is_merchant(ship: str) -> bool:
    """Whether it is one of M1 to M3."""
    return ship[1] == "M"


def limit(ship: str) -> int:
    """The hits that sink it."""
    return 2 if is_merchant(ship) else 3


def turn(d: int, n: int) -> int:
    """The direction after n turns to the right."""
    return (d - 1 + n) % 6 + 1


def go(p: Point, d: Point, n: int = 1) -> Point:
    """The point n vectors further."""
    return p[0] + n * d[0], p[1] + n * d[1]


def is_passable(ship: str, p: Point) -> bool:
    """SPEC 4: water, the neutral harbour for merchants only."""
    return p in WATER and (HARBOUR.get(p) != "neutral" or is_merchant(ship))


def is_own(ship: str, harbour: str | None) -> bool:
    """Whether it is an own harbour of the ship's seat, or for merchants the neutral one."""
    if harbour is None:
        return False
    return OWNER[harbour] == seat_of(ship) or (harbour == "neutral" and is_merchant(ship))


def is_usable(ship: str, p: Point) -> bool:
    """SPEC 4: a usable anchor place."""
    return is_own(ship, ANCHOR.get(p))


def is_hostile(ship: str, p: Point) -> bool:
    """SPEC 4: an enemy anchor place."""
    return p in ANCHOR and OWNER[ANCHOR[p]] == OTHER[seat_of(ship)]
