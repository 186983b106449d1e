"""What a game is: a module of pure functions over frozen dataclasses.

A game's package (`services/rules/games/<game>/__init__.py`) offers the names of `Game`; mypy accepts the module where a
`Game` is asked for. Nothing in it may see the world: no gRPC, protobuf, Redis, clock or `random`. Beside it stand
`notation.py` (`Notation`) and `bot.py` (`Bot`).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from services.kit.draws import Draw

T = TypeVar("T")
S = TypeVar("S")  # settings
X = TypeVar("X")  # state
A = TypeVar("A")  # action
E = TypeVar("E")  # event
P = TypeVar("P")  # position
X_contra = TypeVar("X_contra", contravariant=True)
E_contra = TypeVar("E_contra", contravariant=True)
P_contra = TypeVar("P_contra", contravariant=True)


class Illegal(Exception):
    """Against the rules here. `code` is a constant of the game's specification."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An action or settings in the SPEC's notation that cannot be read.

    Only `notation.py` makes one; `decide` (or `initial`) refuses it with `code` at the place in the order of
    refusals that the SPEC gives. It never travels over gRPC.
    """

    code: str


@dataclass(frozen=True, slots=True)
class Status:
    """Who may act, or how it ended.

    `turn`: seats that owe a decision, ascending; `may_act`: a superset, those whose actions can be accepted.
    Both are empty once `scores` is set: one score per seat from 0 (lost) to 1 (won), a draw 0.5 each; players
    of a co-operative game all have the same. `reason` is UPPER_SNAKE_CASE and set with the scores.
    """

    turn: tuple[int, ...] = ()
    may_act: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """What a game says about itself; `GetGame` shows it."""

    id: str  # [a-z][a-z0-9_]{1,30}
    title: Mapping[str, str]  # by language, "en" at least
    rules_version: str  # semantic; changes whenever some request would be answered differently
    min_seats: int
    max_seats: int
    default_seats: int
    is_cooperative: bool
    has_hidden_information: bool
    typical_entries: int = 0  # about how many a match of the SAMPLES takes when bots play it; 0: nobody has said
    bots: tuple[str, ...] = ("random", "sensible")
    assets: Mapping[str, str] = field(default_factory=dict)  # file name in the game's data/ -> media type
    refusals: Mapping[str, str] = field(default_factory=dict)  # code -> one sentence, with the ruling's number


class Draws(Protocol):
    """Where a game gets its chance from. A game draws after all its checks; labels are the SPEC's names."""

    def below(self, label: str, n: int, /) -> int:
        """A number from 0 to n - 1, uniform."""

    def shuffle(self, label: str, items: Sequence[T], /) -> tuple[T, ...]:
        """The items in a uniform random order."""

    def sample(self, label: str, items: Sequence[T], k: int, /) -> tuple[T, ...]:
        """The first k of a shuffle: k of the items, uniform, in a uniform random order."""


class Game(Protocol[S, X, A, E, P]):
    """The rules of one game. `Action`, `Event` are unions of dataclasses, the others dataclasses."""

    DESCRIPTION: Description
    DEFAULTS: S
    SAMPLES: Sequence[tuple[S, int]]  # settings and seats worth playing; the first is the default
    Settings: Any
    State: Any
    Action: Any
    Event: Any
    Position: Any
    TELLS: Mapping[str, Callable[[X], Hashable]]

    def initial(self, settings: S, seats: int, /) -> X:
        """The state before the first event. Raises Illegal for settings or a number of seats the game forbids."""

    def start(self, state: X, draws: Draws, /) -> tuple[E, ...]:
        """The events that set the match up, a deal among them."""

    def decide(self, state: X, seat: int, action: A, draws: Draws, /) -> tuple[E, ...]:
        """The events that the seat's action causes, at least one. Raises Illegal; draws only after all checks."""

    def evolve(self, state: X, event: E, /) -> X:
        """The state after the event. Never refuses an event that `start` or `decide` gave."""

    def status(self, state: X, /) -> Status:
        """Who may act, or the scores."""

    def actions(self, state: X, seat: int, /) -> Iterable[A]:
        """The legal actions of the seat in canonical order; exactly those that `decide` accepts."""

    def position(self, state: X, /) -> P:
        """What is on the table, for no viewer in particular.

        Hidden values stand in fields of audience SEATS; what nobody may know is not in it.
        """

    def draw(self, position: P, viewer: int | None, language: str, /) -> str:
        """The redacted position as text of at most 80 columns."""

    def label(self, position: P, seat: int, action: A, language: str, /) -> str:
        """One legal action of the seat in a few words, by what the seat may see."""

    def tell(self, event: E, language: str, /) -> str:
        """The redacted event as one short sentence; "" where there is nothing to say."""

    def worlds(self, state: X, seat: int | None, draws: Draws, /) -> Iterator[X]:
        """States that the seat (None: a spectator) cannot tell from `state`, without end, each drawn anew.

        A game without hidden information yields `state` itself.
        """


class Notation(Protocol[S, X_contra, A, E_contra, P_contra]):
    """`notation.py`: the SPEC's JSON to the dataclasses and back. Only the trace and tests import it."""

    def settings(self, options: Any, /) -> tuple[S | Unreadable, int]:
        """Settings and the number of seats. `None` stands for no options given."""

    def options(self, settings: S, seats: int, /) -> Any:
        """The SPEC's options object, defaults filled in."""

    def script(self, state: X_contra, chance: Any, /) -> Mapping[str, Sequence[tuple[int, ...]]]:
        """Injected chance as results by draw label, in the order in which they will be drawn.

        `state` is the state before the step (at a start, of `initial`). A result is what `Draw.result` holds.
        Raises Illegal with the SPEC's code for chance of a wrong form.
        """

    def chance(self, state: X_contra, draws: Sequence[Draw], /) -> Any:
        """The SPEC's form of the draws made in a step from `state`; None where nothing was drawn."""

    def seat(self, value: Any, /) -> int:
        """The platform's seat; -1 for what names none."""

    def seat_name(self, seat: int, /) -> Any:
        """How the SPEC names the seat."""

    def action(self, value: Any, /) -> A | Unreadable:
        """The action."""

    def action_json(self, action: A, /) -> Any:
        """The action as the SPEC writes it."""

    def event_json(self, event: E_contra, /) -> Any:
        """The event as the SPEC writes it, secret fields included, fields of audience SERVER not."""

    def state_json(self, state: X_contra, /) -> Any:
        """The SPEC's canonical state."""

    def view_json(self, position: P_contra, viewer: int | None, /) -> Any:
        """The SPEC's view, from a Position as redacted for the viewer."""

    def result_json(self, state: X_contra, /) -> Any:
        """The SPEC's result, None while the match goes on."""


class Bot(Protocol[P_contra, A]):
    """`bot.py`: the sensible policy, by a seat's own view only."""

    def choose(self, position: P_contra, seat: int, actions: Sequence[A], draws: Draws, /) -> A:
        """One of `actions`, the legal ones of the seat in canonical order. Chance comes from `draws` only."""
