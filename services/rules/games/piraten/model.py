"""The values of the game: settings, state, position. Boats, pirates, places are named as in the SPEC, section 2."""

from dataclasses import dataclass
from enum import StrEnum

ISLAND, PRISON, HOME = "ISLAND", "PRISON", "HOME"
CARDS = 20  # provision cards in all


class Variant(StrEnum):
    """What is played."""

    SMALL = "small"
    EXPERIENCED = "experienced"
    BIG = "big"


class EmptyPirateSpace(StrEnum):
    """The pirate picture that starts without a ship; RANDOM lets a die decide (R-PIR-03)."""

    RANDOM = "random"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


class Colour(StrEnum):
    """A colour of boats, in colour order."""

    YELLOW = "yellow"
    PURPLE = "purple"
    GREEN = "green"
    RED = "red"


class Phase(StrEnum):
    """What the seat on turn has to do."""

    ROLL = "roll"
    MOVE = "move"
    EXCHANGE = "exchange"
    FREE = "free"
    OVER = "over"


class Outcome(StrEnum):
    """How it ended, for all alike."""

    WON = "won"
    LOST = "lost"


class EndReason(StrEnum):
    """Why it ended (SPEC, section 10)."""

    ALL_HOME = "ALL_HOME"
    CAPTIVES_LEFT = "CAPTIVES_LEFT"
    TURN_LIMIT = "TURN_LIMIT"


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the SPEC, section 4, without the number of seats; None or () stands for the default."""

    variant: Variant | None = None
    boats_per_player: int | None = None
    empty_pirate_space: EmptyPirateSpace | None = None
    first_seat: int | None = None
    colours: tuple[Colour, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """What the mover has to decide after a boat move.

    `space` is the life ring on which the boat landed, if it did; `partners` the seats still to be asked about an
    exchange, in order.
    """

    boat: str
    space: str | None
    partners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """The whole state; `turn` is 0 until the match has started.

    `settings` have their defaults filled in. `boats` are the places of the boats in play, in boat order (their ids:
    `Fleet.boats`), `pirates` the spaces of pirate1, pirate2, ...
    """

    settings: Settings
    seats: int
    phase: Phase
    turn: int
    seat: int
    dice: tuple[int, ...]
    dice_left: tuple[int, ...]
    is_boat_done: bool
    is_pirate_done: bool
    boats: tuple[str, ...]
    pirates: tuple[str, ...]
    provisions: tuple[int, ...]
    removed: int
    pending: Pending | None = None
    outcome: Outcome | None = None
    reason: EndReason | None = None


@dataclass(frozen=True, slots=True)
class Boat:
    """A boat and its place."""

    id: str
    place: str


@dataclass(frozen=True, slots=True)
class Pirate:
    """A pirate ship and its space."""

    id: str
    space: str


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a colour is; None where it is neutral."""

    colour: Colour
    seat: int | None


@dataclass(frozen=True, slots=True)
class SeatColours:
    """The colours of a seat, first colour first."""

    colours: tuple[Colour, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many boats are where; `sea` are the blue spaces."""

    island: int
    captive: int
    home: int
    hideout: int
    sea: int


@dataclass(frozen=True, slots=True)
class Position:
    """Everything on the table (SPEC, section 5); `movable` are the boats the mover may move now (section 8.1)."""

    settings: Settings
    players: int
    phase: Phase
    turn: int
    seat: int
    dice: tuple[int, ...]
    dice_left: tuple[int, ...]
    is_boat_done: bool
    is_pirate_done: bool
    owners: tuple[Owner, ...]
    seat_colours: tuple[SeatColours, ...]
    boats: tuple[Boat, ...]
    pirates: tuple[Pirate, ...]
    provisions: tuple[int, ...]
    provisions_removed: int
    provisions_in_box: int
    pending: Pending | None
    outcome: Outcome | None
    reason: EndReason | None
    actors: tuple[int, ...]
    counts: Counts
    movable: tuple[str, ...]
