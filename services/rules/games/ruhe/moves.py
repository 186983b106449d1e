"""What a seat may ask for (SPEC, section 8). Card lists are sets: their order means nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlayStart:
    """8.1."""

    card: str


@dataclass(frozen=True, slots=True)
class PlayFinish:
    """8.2."""

    card: str


@dataclass(frozen=True, slots=True)
class Place:
    """8.3; `pay` are as many other cards as the placement costs."""

    card: str
    cell: int
    pay: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayMonster:
    """8.4; onto the island at the cell."""

    card: str
    cell: int


@dataclass(frozen=True, slots=True)
class DiscardTwo:
    """8.5."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiscardHand:
    """8.6."""


@dataclass(frozen=True, slots=True)
class RockMove:
    """8.7."""

    row: int


@dataclass(frozen=True, slots=True)
class RockKeep:
    """8.8; `pay` are two cards."""

    pay: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """8.9."""

    n: int


@dataclass(frozen=True, slots=True)
class DepartDiscard:
    """8.10; `blind` cards come unseen from the own pile."""

    cards: tuple[str, ...]
    blind: int


@dataclass(frozen=True, slots=True)
class StormPass:
    """8.11."""


@dataclass(frozen=True, slots=True)
class UseCompass:
    """8.12."""

    storm: str


@dataclass(frozen=True, slots=True)
class StormRow:
    """8.13."""

    row: int


@dataclass(frozen=True, slots=True)
class StormDiscard:
    """8.14."""

    cards: tuple[str, ...]


Action = (
    PlayStart
    | PlayFinish
    | Place
    | PlayMonster
    | DiscardTwo
    | DiscardHand
    | RockMove
    | RockKeep
    | Offer
    | DepartDiscard
    | StormPass
    | UseCompass
    | StormRow
    | StormDiscard
)
