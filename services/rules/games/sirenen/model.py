"""The values of Sirenen in Sicht: settings, actions, events, state and position (SPEC sections 1 to 8).

A seat is 0 or 1; a ship is its printed value, "bow to rear" is ascending; a card is an id from 0 to 51; a side is the
seat that owns it. Tuples are ascending unless they say otherwise. What a redacted position may lack is `| None`.
"""

from dataclasses import dataclass
from enum import StrEnum

SHIPS = (28, 30, 32, 34, 36)
CARDS = 52
SIDE_LIMIT = 5
HAND_SIZE = 4
WINNING_POINTS = 4


class Variant(StrEnum):
    """The two games of the rulebook."""

    BASE = "BASE"
    OWN_DECKS = "OWN_DECKS"


class Phase(StrEnum):
    """The stages of a match; SELECT only in OWN_DECKS."""

    SELECT = "SELECT"
    PLAY = "PLAY"
    OVER = "OVER"


class Crew(StrEnum):
    """The crew tokens, equal in every rule."""

    CAPTAIN = "CAPTAIN"
    MATE = "MATE"


class Suit(StrEnum):
    """The sets of cards; that of seat 0 first."""

    SEASTAR = "SEASTAR"
    SHELL = "SHELL"


class MainAction(StrEnum):
    """What a turn is made of, once."""

    PLAY_CARD = "PLAY_CARD"
    USE_OCTOPUS = "USE_OCTOPUS"


class ScoringReason(StrEnum):
    """What gives a ship to a seat (SPEC 7.3)."""

    RESISTANCE = "RESISTANCE"
    FULL = "FULL"


class EndReason(StrEnum):
    """Why a match ended (SPEC 9)."""

    FOUR_POINTS = "FOUR_POINTS"
    ALL_SHIPS = "ALL_SHIPS"
    NO_ACTIONS = "NO_ACTIONS"


@dataclass(frozen=True, slots=True)
class Settings:
    """SPEC section 2."""

    variant: Variant = Variant.BASE


@dataclass(frozen=True, slots=True)
class KeepStartCard:
    """Keeps a card of the own set for the first hand."""

    card: int


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Plays a card from the hand."""

    card: int
    ship: int
    side: int


@dataclass(frozen=True, slots=True)
class UseOctopus:
    """`ship` and `side` are where the card goes."""

    card: int
    ship: int
    side: int


@dataclass(frozen=True, slots=True)
class UseRum:
    """Puts the own mug on a ship."""

    ship: int


@dataclass(frozen=True, slots=True)
class MoveCrew:
    """`ship` is where the token ends (R-SIR-11)."""

    ship: int


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Ends the turn with the mug still held."""


Action = KeepStartCard | PlayCard | UseOctopus | UseRum | MoveCrew | EndTurn


@dataclass(frozen=True, slots=True)
class Cards:
    """Card ids that may be hidden as a whole."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """A crew token that a seat must move; `options` are its two destinations."""

    seat: int
    crew: Crew
    from_ship: int
    options: tuple[int, ...]
    action: MainAction


@dataclass(frozen=True, slots=True)
class Removed:
    """What left the match without being scored; `mugs` are the seats that owned them."""

    cards: tuple[int, ...] = ()
    ships: tuple[int, ...] = ()
    crew: tuple[Crew, ...] = ()
    mugs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """`winner` is None when nobody wins (R-SIR-29)."""

    reason: EndReason
    winner: int | None
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShipCard:
    """A ship in play: `sides[s]` in the order of arrival, `mugs` the seats whose mugs are on it."""

    ship: int
    sides: tuple[tuple[int, ...], ...] = ((), ())
    mugs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Player:
    """What a seat has; `octopus_on` is None while it holds its octopus."""

    hand: tuple[int, ...] = ()
    mug_held: bool = True
    octopus_on: int | None = None
    ships: tuple[int, ...] = ()
    crew: tuple[Crew, ...] = ()

    @property
    def points(self) -> int:
        """Ships and crew tokens scored."""
        return len(self.ships) + len(self.crew)


@dataclass(frozen=True, slots=True)
class State:
    """Everything of a position.

    `start_player` is None before the deal; `main_action` is what the seat on turn has done, None before;
    `captain` and `mate` are ships, None once out of play; `piles` are top first: one in BASE, one for each seat in
    OWN_DECKS.
    """

    variant: Variant
    phase: Phase
    start_player: int | None = None
    turn: int | None = None
    main_action: MainAction | None = None
    pending: Pending | None = None
    ships: tuple[ShipCard, ...] = tuple(ShipCard(s) for s in SHIPS)
    captain: int | None = 30
    mate: int | None = 34
    players: tuple[Player, ...] = (Player(), Player())
    piles: tuple[tuple[int, ...], ...] = ()
    removed: Removed = Removed()
    result: Result | None = None

    @property
    def main_done(self) -> bool:
        """Whether the main action is completely resolved (SPEC 7.6)."""
        return self.main_action is not None and self.pending is None

    def ship(self, ship: int) -> ShipCard | None:
        """The ship card, None when it is not in play."""
        return next((s for s in self.ships if s.ship == ship), None)

    def crew_on(self, ship: int) -> Crew | None:
        """The token that stands on the ship."""
        return Crew.CAPTAIN if self.captain == ship else Crew.MATE if self.mate == ship else None


@dataclass(frozen=True, slots=True)
class ShipView:
    """A ship in play with what follows from it."""

    ship: int
    resistance: int
    crew: Crew | None
    mugs: tuple[int, ...]
    sides: tuple[Cards, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What a player has; `hand` and `pool` are for the seat only."""

    seat: int
    hand: Cards | None
    hand_count: int
    pool: Cards | None
    mug_held: bool
    octopus_on: int | None
    ships: tuple[int, ...]
    crew: tuple[Crew, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Position:
    """What is on the table; redacted, it is the view of SPEC 4.1."""

    variant: Variant
    phase: Phase
    start_player: int | None
    turn: int | None
    main_done: bool
    actors: tuple[int, ...]
    pending: Pending | None
    ships: tuple[ShipView, ...]
    players: tuple[PlayerView, ...]
    pile_counts: tuple[int, ...]
    removed: Removed
    result: Result | None
