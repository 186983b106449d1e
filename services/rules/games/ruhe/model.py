"""Settings and state (SPEC, sections 3 and 6).

Cells are row * 6 + column from the bottom left; in a grid 0 is the empty cell (section 5).
"""

from dataclasses import dataclass
from enum import StrEnum, auto

CELLS = 36
WIDTH = 6
ROWS = 6
HAND = 5
HAND_UNDER_YELLOW = 3
TOGETHER = 8  # what goes at a departure
MOST_COMPASSES = 6
ROUNDS = 3


class Name(StrEnum):
    """Values are the members' names."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[str]) -> str:  # noqa: ARG004 - the signature of enum
        return name


class Difficulty(Name):
    """How many islands are taken out unseen; `REMOVED` says how many."""

    NONE = auto()
    GALATEA = auto()
    TRITON = auto()
    LEUKOTHEA = auto()
    AMPHITRITE = auto()
    POSEIDON = auto()


REMOVED = {
    Difficulty.NONE: 0,
    Difficulty.GALATEA: 4,
    Difficulty.TRITON: 6,
    Difficulty.LEUKOTHEA: 8,
    Difficulty.AMPHITRITE: 10,
    Difficulty.POSEIDON: 12,
}


class Colour(Name):
    """What a storm does (R-RUH-29, R-RUH-31, R-RUH-32)."""

    YELLOW = auto()
    VIOLET = auto()
    ORANGE = auto()


COLOURS = {"Y": Colour.YELLOW, "V": Colour.VIOLET, "O": Colour.ORANGE}


class Outcome(Name):
    """For all seats alike."""

    WON = auto()
    LOST = auto()


class EndReason(Name):
    """Why a match ended (SPEC, section 11)."""

    ARRIVED = auto()
    NO_ACTION = auto()
    NO_FINISH_LEFT = auto()


class Method(Name):
    """How a departure's split came about (SPEC, 7.3 and 8.9)."""

    AGREED = auto()
    FORCED = auto()
    ADJUSTED = auto()


class Kind(Name):
    """The kinds of an open decision, named as in the SPEC's table of `pending`."""

    TURN = auto()
    ROCK = auto()
    OFFER = auto()
    PICK = auto()
    STORM_WINDOW = auto()
    STORM_ROW = auto()
    STORM_DISCARD = auto()


class Step(Name):
    """What is still to come before the next decision; `flow.py` says what each does."""

    PAYMENT = auto()
    ROW = auto()
    COMPASS_ROW = auto()
    ROCK_GONE = auto()
    EMPTY_HAND = auto()
    FINISHES = auto()
    ROCK = auto()
    REFILL = auto()
    NEXT = auto()
    STUCK = auto()
    EXTRA = auto()
    WINDOW = auto()
    RESOLVE = auto()
    CUT = auto()
    COMPASS_START = auto()
    OPEN = auto()
    TALK = auto()
    COUNT = auto()
    ADJUST = auto()
    PICKS = auto()
    WIN = auto()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a creator may choose; `monsters` is 0, 3, 4 or 5."""

    difficulty: Difficulty
    rocks: bool
    monsters: int
    storms: bool


@dataclass(frozen=True, slots=True)
class LyingCard:
    """A start or finish card on the table and whose it was."""

    seat: int
    card: str


@dataclass(frozen=True, slots=True)
class ActiveStorm:
    """A storm in effect: `seat` holds a yellow or orange one, `row` is closed by a violet one."""

    storm: str
    colour: Colour
    seat: int | None
    row: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """How it ended; `seat` is None for NO_FINISH_LEFT."""

    outcome: Outcome
    reason: EndReason
    seat: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A step to come. `number` is a row or how many cards, by the step."""

    step: Step
    seat: int = 0
    number: int = 0
    storm: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """The open decision. OFFER and PICK have the rest of it in the state's `departure`.

    `seat` is -1 for OFFER and PICK, `waiting` is used by STORM_WINDOW, `count` by STORM_DISCARD.
    """

    kind: Kind
    seat: int = -1
    storm: str = ""
    waiting: tuple[int, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Departure:
    """The joint discard from its opening to its last pick; all tuples by seat but `waiting`.

    `given`: hand cards that a seat has given already (with `split`, what came unseen follows).
    """

    required: int
    caps: tuple[int, ...]
    blind: tuple[int, ...]
    round: int
    offers: tuple[int | None, ...]
    previous: tuple[int, ...] | None = None
    split: tuple[int, ...] = ()
    how: Method | None = None
    waiting: tuple[int, ...] = ()
    given: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """Everything. `tasks`: what comes after the open decision, next first.

    The last three serve `worlds`: `unseen` holds the indices of each discard pile that came unseen; `fresh` how many
    cards each seat drew since its last turn action (a start card it holds while none lies is among them); `kept` how
    many cards each discard pile had when the start card was laid (no start card is among them).
    """

    settings: Settings
    seats: int
    turn: int = 0
    active: int = 0
    start_seat: int = 0
    grid: tuple[int, ...] = (0,) * CELLS
    start: LyingCard | None = None
    finish: LyingCard | None = None
    rock: int | None = None
    compasses: int = 0
    compasses_earned: int = 0
    storms: tuple[ActiveStorm, ...] = ()
    hands: tuple[tuple[str, ...], ...] = ()
    piles: tuple[tuple[str, ...], ...] = ()
    discards: tuple[tuple[str, ...], ...] = ()
    gone: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    pending: Pending | None = None
    result: Result | None = None
    tasks: tuple[Task, ...] = ()
    departure: Departure | None = None
    unseen: tuple[tuple[int, ...], ...] = ()
    fresh: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
