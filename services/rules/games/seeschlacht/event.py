"""What happens in a match (SPEC 8.4). The messages of the same names say what each field means."""

from dataclasses import dataclass
from enum import StrEnum

from services.rules.games.seeschlacht.model import Colour, Edition, EndReason, Phase


class Die(StrEnum):
    """The two dice."""

    COLOUR = "colour"
    NUMBER = "number"


class Purpose(StrEnum):
    """What a roll decides."""

    INITIAL_STRENGTH = "initial_strength"
    INITIAL_DIRECTION = "initial_direction"
    PERMISSION = "permission"
    STRENGTH = "strength"
    DIRECTION = "direction"
    BATTERY = "battery"
    SHOT = "shot"


class What(StrEnum):
    """What a seat tries to change about the wind."""

    DIRECTION_AND_STRENGTH = "direction_and_strength"
    STRENGTH = "strength"


class HitCause(StrEnum):
    """Why a ship was hit."""

    ENEMY_ANCHOR = "enemy_anchor"
    RAM = "ram"
    BATTERY = "battery"
    SHOT = "shot"


@dataclass(frozen=True, slots=True)
class Field:
    """A field in the chart's coordinates (SPEC 4)."""

    q: int
    r: int


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The first event."""

    edition: Edition
    first_seat: int
    turn_cap: int


@dataclass(frozen=True, slots=True)
class DieRolled:
    """A die fell; `colour` or `number` holds what it shows."""

    seat: int
    die: Die
    colour: Colour | None
    number: int | None
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class WindSet:
    """The wind after rolls for it."""

    strength: Colour
    from_direction: int
    is_changed: bool


@dataclass(frozen=True, slots=True)
class FacingSet:
    """A ship has its facing."""

    ship: str
    direction: int


@dataclass(frozen=True, slots=True)
class FleetReady:
    """All ten facings of the seat are set."""

    seat: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A player's turn begins."""

    turn: int
    seat: int


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """A phase is entered."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class WindKept:
    """The wind was left as it is."""

    seat: int


@dataclass(frozen=True, slots=True)
class WindChangeAnnounced:
    """Rolls for the wind follow."""

    seat: int
    what: What


@dataclass(frozen=True, slots=True)
class WindChangeFailed:
    """The permission roll was odd."""

    seat: int


@dataclass(frozen=True, slots=True)
class ShipMoved:
    """A ship sailed or turned; `path` is what was carried out of its path, without X."""

    ship: str
    path: str
    from_field: Field
    to_field: Field
    direction: int


@dataclass(frozen=True, slots=True)
class ShipsRammed:
    """A ship ran into the target."""

    ship: str
    target: str


@dataclass(frozen=True, slots=True)
class ShipHit:
    """A ship has one hit more."""

    ship: str
    hits: int
    cause: HitCause


@dataclass(frozen=True, slots=True)
class ShipSunk:
    """A ship sank."""

    ship: str
    cause: HitCause


@dataclass(frozen=True, slots=True)
class MerchantArrived:
    """Short version: a first arrival."""

    ship: str
    rank: int
    points: int


@dataclass(frozen=True, slots=True)
class CargoLoaded:
    """Large game: cargo aboard."""

    ship: str


@dataclass(frozen=True, slots=True)
class ShipRepaired:
    """A ship has one hit less."""

    ship: str
    hits: int


@dataclass(frozen=True, slots=True)
class BatteryFired:
    """A battery's roll follows."""

    battery: str
    target: str


@dataclass(frozen=True, slots=True)
class ShotFired:
    """A ship's roll follows; `line` is the colour that hits."""

    ship: str
    target: str
    line: Colour


@dataclass(frozen=True, slots=True)
class ShotMissed:
    """The roll was no hit."""

    target: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A player's turn is over."""

    turn: int
    seat: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The last event; `winner` None for a draw."""

    winner: int | None
    reason: EndReason
    points: tuple[int, ...]


Event = (
    GameStarted
    | DieRolled
    | WindSet
    | FacingSet
    | FleetReady
    | TurnStarted
    | PhaseStarted
    | WindKept
    | WindChangeAnnounced
    | WindChangeFailed
    | ShipMoved
    | ShipsRammed
    | ShipHit
    | ShipSunk
    | MerchantArrived
    | CargoLoaded
    | ShipRepaired
    | BatteryFired
    | ShotFired
    | ShotMissed
    | TurnEnded
    | GameEnded
)
