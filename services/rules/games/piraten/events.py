"""The events of the game (SPEC, section 9). Positions, cards and outcome can be rebuilt from them alone."""

from dataclasses import dataclass
from enum import StrEnum

from services.rules.games.piraten.model import EmptyPirateSpace, EndReason, Outcome, Pirate, Variant


class Cause(StrEnum):
    """Whose move led to a capture."""

    BOAT_MOVE = "boat_move"
    PIRATE_MOVE = "pirate_move"


class Purpose(StrEnum):
    """What a provision card paid for."""

    HIDEOUT = "hideout"
    FREEING = "freeing"


@dataclass(frozen=True, slots=True)
class SetupDieRolled:
    """A die left a pirate picture empty."""

    die: int
    empty_pirate_space: EmptyPirateSpace


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The table as set up; `boats` in boat order, all on Adventure Island."""

    variant: Variant
    players: int
    boats: tuple[str, ...]
    pirates: tuple[Pirate, ...]
    provisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began."""

    turn: int
    seat: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """Both halves of a turn are played."""

    turn: int
    seat: int


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """Two results, first and second."""

    seat: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoatMoved:
    """`path` holds the spaces really entered; `to_place` is its last, also when the boat is caught or on a goal."""

    seat: int
    boat: str
    points: int
    from_place: str
    to_place: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoatHeld:
    """A boat stayed and a die went unused."""

    seat: int
    boat: str
    points: int


@dataclass(frozen=True, slots=True)
class PirateMoved:
    """A pirate ship sailed along `path`."""

    seat: int
    pirate: str
    points: int
    from_space: str
    to_space: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoatCaptured:
    """A boat was caught on `space`."""

    boat: str
    pirate: str
    space: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class BoatRescued:
    """A boat came home over `goal`."""

    boat: str
    goal: str


@dataclass(frozen=True, slots=True)
class BoatFreed:
    """A captive came to `space`; `payer` is None where it cost nothing."""

    boat: str
    space: str
    payer: int | None


@dataclass(frozen=True, slots=True)
class ProvisionRemoved:
    """A card of `seat` left the game."""

    seat: int
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class ProvisionPassed:
    """A card changed hands; `seat` is the mover."""

    seat: int
    from_seat: int
    to_seat: int


@dataclass(frozen=True, slots=True)
class ExchangeSkipped:
    """The mover neither gave nor took."""

    seat: int
    partner: int


@dataclass(frozen=True, slots=True)
class FreeingEnded:
    """The mover freed no further captive."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end; `home` and `captive` count boats."""

    outcome: Outcome
    reason: EndReason
    turn: int
    home: int
    captive: int


Event = (
    SetupDieRolled
    | GameStarted
    | TurnStarted
    | TurnEnded
    | DiceRolled
    | BoatMoved
    | BoatHeld
    | PirateMoved
    | BoatCaptured
    | BoatRescued
    | BoatFreed
    | ProvisionRemoved
    | ProvisionPassed
    | ExchangeSkipped
    | FreeingEnded
    | GameOver
)
