"""The events of Sirenen in Sicht (SPEC section 8).

Every field is the SPEC's; `from` and `to` are called `from_ship` and `to_ship`. Of audience SERVER, beyond the SPEC's,
are `order` and `start_player` of GameCreated: the whole deal, so that the fold knows it.
"""

# ruff: noqa: D101 - the names and the SPEC say what they are; the proto comments every field

from dataclasses import dataclass

from services.rules.games.sirenen.model import Cards, Crew, EndReason, ScoringReason, Suit, Variant


@dataclass(frozen=True, slots=True)
class GameCreated:
    variant: Variant
    ships: tuple[int, ...]
    captain: int
    mate: int
    order: tuple[int, ...]  # top first
    start_player: int | None


@dataclass(frozen=True, slots=True)
class HandDealt:
    seat: int
    count: int
    cards: Cards | None


@dataclass(frozen=True, slots=True)
class SetTaken:
    seat: int
    suit: Suit


@dataclass(frozen=True, slots=True)
class StartCardKept:
    seat: int
    card: int | None
    kept: int


@dataclass(frozen=True, slots=True)
class HandCompleted:
    seat: int
    pile_count: int


@dataclass(frozen=True, slots=True)
class StartPlayer:
    seat: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    seat: int


@dataclass(frozen=True, slots=True)
class TurnSkipped:
    seat: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    seat: int


@dataclass(frozen=True, slots=True)
class CardPlayed:
    seat: int
    card: int
    ship: int
    side: int


@dataclass(frozen=True, slots=True)
class OctopusUsed:
    seat: int
    card: int
    from_ship: int
    from_side: int
    ship: int
    side: int


@dataclass(frozen=True, slots=True)
class CrewStayed:
    crew: Crew
    ship: int


@dataclass(frozen=True, slots=True)
class CrewMoveRequested:
    seat: int
    crew: Crew
    from_ship: int
    options: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CrewMoved:
    seat: int
    crew: Crew
    from_ship: int
    to_ship: int
    forced: bool


@dataclass(frozen=True, slots=True)
class ShipScored:
    ship: int
    seat: int
    reason: ScoringReason
    totals: tuple[int, ...]
    resistance: int


@dataclass(frozen=True, slots=True)
class ShipTied:
    ship: int
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CrewScored:
    crew: Crew
    ship: int
    seat: int


@dataclass(frozen=True, slots=True)
class CrewRemoved:
    crew: Crew
    ship: int


@dataclass(frozen=True, slots=True)
class MugRemoved:
    seat: int
    ship: int


@dataclass(frozen=True, slots=True)
class CardsRemoved:
    ship: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OctopusReturned:
    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    seat: int
    card: int | None
    pile_count: int


@dataclass(frozen=True, slots=True)
class DrawSkipped:
    seat: int


@dataclass(frozen=True, slots=True)
class RumPlayed:
    seat: int
    ship: int
    resistance: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    reason: EndReason
    winner: int | None
    points: tuple[int, ...]


Event = (
    GameCreated
    | HandDealt
    | SetTaken
    | StartCardKept
    | HandCompleted
    | StartPlayer
    | TurnStarted
    | TurnSkipped
    | TurnEnded
    | CardPlayed
    | OctopusUsed
    | CrewStayed
    | CrewMoveRequested
    | CrewMoved
    | ShipScored
    | ShipTied
    | CrewScored
    | CrewRemoved
    | MugRemoved
    | CardsRemoved
    | OctopusReturned
    | CardDrawn
    | DrawSkipped
    | RumPlayed
    | GameEnded
)
