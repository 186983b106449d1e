"""Facts (SPEC, section 12). A field that a redacted event may lack is optional."""

from dataclasses import dataclass
from enum import auto

from services.rules.games.ruhe.model import Colour, EndReason, Method, Name, Settings


class CompassReason(Name):
    """What earns a compass (SPEC, section 9)."""

    START = auto()
    ROW = auto()
    EMPTY_HAND = auto()


class DiscardReason(Name):
    """Why cards left a hand."""

    COST = auto()
    TWO = auto()
    HAND = auto()
    ROCK = auto()
    STORM = auto()
    DEPARTURE = auto()


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards by id."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The set-up before the opening draw; nobody sees `piles` and `removed`."""

    settings: Settings
    seats: int
    start_seat: int
    rock: int | None
    piles: tuple[Cards, ...]
    removed: Cards | None


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began."""

    seat: int
    turn: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """Only `seat` sees the card."""

    seat: int
    card: str | None


@dataclass(frozen=True, slots=True)
class StormDrawn:
    """A storm came from the pile of `seat`."""

    seat: int
    storm: str


@dataclass(frozen=True, slots=True)
class StormPassed:
    """`seat` uses no compass on the storm just drawn."""

    seat: int
    storm: str


@dataclass(frozen=True, slots=True)
class StormTookEffect:
    """`seat` drew it; `row` is set for a violet one."""

    storm: str
    colour: Colour
    seat: int
    row: int | None


@dataclass(frozen=True, slots=True)
class StormWithoutEffect:
    """A violet storm found no row with a gap."""

    storm: str


@dataclass(frozen=True, slots=True)
class CompassEarned:
    """`compasses` are the unused ones after it."""

    reason: CompassReason
    seat: int
    row: int | None
    compasses: int


@dataclass(frozen=True, slots=True)
class CompassUsed:
    """`compasses` are the unused ones after it."""

    seat: int
    storm: str
    compasses: int


@dataclass(frozen=True, slots=True)
class CardPlaced:
    """`cost` cards are paid next."""

    seat: int
    card: str
    cell: int
    cost: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """Only `seat` sees the cards."""

    seat: int
    count: int
    reason: DiscardReason
    cards: Cards | None


@dataclass(frozen=True, slots=True)
class BlindDiscarded:
    """Nobody sees the cards."""

    seat: int
    count: int
    cards: Cards | None


@dataclass(frozen=True, slots=True)
class RowCompleted:
    """A placement filled the row."""

    row: int
    is_consecutive: bool


@dataclass(frozen=True, slots=True)
class MonsterPlayed:
    """Monster and island are out of the game."""

    seat: int
    card: str
    cell: int
    island: str


@dataclass(frozen=True, slots=True)
class RockMoved:
    """To `row`."""

    seat: int
    row: int


@dataclass(frozen=True, slots=True)
class RockKept:
    """In `row`; two cards are paid next."""

    seat: int
    row: int


@dataclass(frozen=True, slots=True)
class RockRemoved:
    """For good."""


@dataclass(frozen=True, slots=True)
class StartPlayed:
    """The departure begins."""

    seat: int
    card: str


@dataclass(frozen=True, slots=True)
class FinishPlayed:
    """The arrival."""

    seat: int
    card: str


@dataclass(frozen=True, slots=True)
class DepartureOpened:
    """`required` cards must go together."""

    required: int


@dataclass(frozen=True, slots=True)
class OfferMade:
    """Visible to all at once."""

    seat: int
    n: int
    round: int


@dataclass(frozen=True, slots=True)
class OffersFailed:
    """The round's sum was not the required number."""

    round: int
    total: int


@dataclass(frozen=True, slots=True)
class SplitSettled:
    """`split` is how many cards each seat gives."""

    split: tuple[int, ...]
    how: Method


@dataclass(frozen=True, slots=True)
class GameWon:
    """`seat` arrived."""

    reason: EndReason
    seat: int


@dataclass(frozen=True, slots=True)
class GameLost:
    """`seat` is stuck; None for NO_FINISH_LEFT."""

    reason: EndReason
    seat: int | None


Event = (
    GameStarted
    | TurnStarted
    | CardDrawn
    | StormDrawn
    | StormPassed
    | StormTookEffect
    | StormWithoutEffect
    | CompassEarned
    | CompassUsed
    | CardPlaced
    | Discarded
    | BlindDiscarded
    | RowCompleted
    | MonsterPlayed
    | RockMoved
    | RockKept
    | RockRemoved
    | StartPlayed
    | FinishPlayed
    | DepartureOpened
    | OfferMade
    | OffersFailed
    | SplitSettled
    | GameWon
    | GameLost
)
