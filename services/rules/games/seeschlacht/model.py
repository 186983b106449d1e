"""The words of the game: ships, settings and the state (SPEC 2, 3 and 6).

Inside the rules a ship is its number in fleet order: 0 to 9 the white fleet (merchants first), 10 to 19 the yellow one.
A field is its number among the water fields of the chart (`Board.fields`). Directions are 1 to 6, clockwise, 1 = north.
"""

from dataclasses import dataclass
from enum import StrEnum

SEATS = ("white", "yellow")
FLEET = 10  # ships of a seat
MERCHANTS = 3  # of them, the first ones
SHIPS = tuple(f"{colour}{kind}" for colour in "WY" for kind in ("M1", "M2", "M3", *(f"W{n}" for n in range(1, 8))))
NUMBER = {name: number for number, name in enumerate(SHIPS)}
FLEETS = (range(FLEET), range(FLEET, 2 * FLEET))
LIMITS = tuple(2 if ship % FLEET < MERCHANTS else 3 for ship in range(2 * FLEET))  # the hit that sinks
NOWHERE = -1  # the place of a sunk ship
OPEN = 0  # the facing of a ship in the line-up, and of a sunk one


class Edition(StrEnum):
    """The object of the game (SPEC 1; its key there is `version`)."""

    SHORT = "short"
    LARGE = "large"


class Colour(StrEnum):
    """A face of the colour die, in the order in which it is drawn."""

    YELLOW = "yellow"
    BLUE = "blue"
    RED = "red"


class Phase(StrEnum):
    """A part of a turn, in order (SPEC 8.1)."""

    SETUP = "SETUP"
    WIND = "WIND"
    MOVE = "MOVE"
    LOAD = "LOAD"
    REPAIR = "REPAIR"
    BATTERY = "BATTERY"
    FIRE = "FIRE"
    OVER = "OVER"


class EndReason(StrEnum):
    """Why a match is over (SPEC 9)."""

    CARGO_HOME = "CARGO_HOME"
    NO_MERCHANTS = "NO_MERCHANTS"
    ALL_ARRIVED = "ALL_ARRIVED"
    TURN_CAP = "TURN_CAP"


COLOURS = tuple(Colour)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a match may choose (SPEC 3)."""

    edition: Edition = Edition.SHORT
    first_seat: int = 0
    turn_cap: int = 300


@dataclass(frozen=True, slots=True)
class Wind:
    """The wind; it blows *from* the direction, which is 0 until the first one was rolled."""

    strength: Colour
    from_direction: int


@dataclass(frozen=True, slots=True)
class Result:
    """How it ended; `winner` None for a draw, `points` of white and yellow."""

    winner: int | None
    reason: EndReason
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Everything of a position (SPEC 6).

    `places`, `facings`, `hits` and `cargo` have one value for each of the 20 ships in fleet order. A sunk ship is
    NOWHERE, faces OPEN, has no cargo and as many hits as its limit. The lists hold ship numbers in order of happening.
    """

    settings: Settings
    phase: Phase
    turn: int
    seat: int
    wind: Wind
    places: tuple[int, ...]
    facings: tuple[int, ...]
    hits: tuple[int, ...]
    cargo: tuple[bool, ...]
    moved: tuple[int, ...] = ()
    loaded: tuple[int, ...] = ()
    repaired: tuple[int, ...] = ()
    shelled: tuple[int, ...] = ()
    fired: tuple[int, ...] = ()
    arrivals: tuple[int, ...] = ()
    result: Result | None = None


def seat_of(ship: int) -> int:
    """The owner of a ship."""
    return ship // FLEET


def is_merchant(ship: int) -> bool:
    """Whether the ship is a merchant; else it is a warship."""
    return ship % FLEET < MERCHANTS


def turned(direction: int, steps: int) -> int:
    """The direction after a number of right turns (negative: left turns)."""
    return (direction + steps - 1) % 6 + 1
