"""The actions of the game (SPEC, section 7)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Roll:
    """Rolls both dice (R-PIR-45)."""


@dataclass(frozen=True, slots=True)
class MoveBoat:
    """Sails a boat; `path` names every space to be entered, so its length is `points` (R-PIR-47)."""

    boat: str
    points: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HoldBoat:
    """Leaves a boat near the harbour where it is and lets a die go unused (R-PIR-26)."""

    boat: str
    points: int


@dataclass(frozen=True, slots=True)
class MovePirate:
    """Sails a pirate ship."""

    pirate: str
    points: int


@dataclass(frozen=True, slots=True)
class GiveProvision:
    """Gives a card to the first pending partner."""

    partner: int


@dataclass(frozen=True, slots=True)
class TakeProvision:
    """Takes a card from the first pending partner."""

    partner: int


@dataclass(frozen=True, slots=True)
class SkipExchange:
    """Neither gives nor takes."""

    partner: int


@dataclass(frozen=True, slots=True)
class FreeBoat:
    """Frees a captive for a card of the mover or of the captive's owner (R-PIR-41)."""

    boat: str
    payer: int


@dataclass(frozen=True, slots=True)
class EndFreeing:
    """Leaves the other captives where they are."""


Action = Roll | MoveBoat | HoldBoat | MovePirate | GiveProvision | TakeProvision | SkipExchange | FreeBoat | EndFreeing
