"""The cards: ids, canonical order, kinds (SPEC, section 2)."""

from collections.abc import Iterable

ISLANDS = tuple(f"I{n:02d}" for n in range(1, 81))
STARTS = ("S1", "S2", "S3", "S4", "S5")
FINISHES = ("F1", "F2", "F3", "F4", "F5")
MONSTERS = ("M1", "M2", "M3", "M4", "M5")
STORMS = ("Y1", "Y2", "V1", "V2", "O1", "O2")
ALL = ISLANDS + STARTS + FINISHES + MONSTERS + STORMS  # the canonical order

_ORDER = {card: i for i, card in enumerate(ALL)}
_NUMBERS = {card: int(card[1:]) for card in ISLANDS}


def sort(cards: Iterable[str]) -> tuple[str, ...]:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=_ORDER.__getitem__))


def kind(card: str) -> str:
    """The first letter: I, S, F, M, Y, V or O."""
    return card[:1]


def number(card: str) -> int:
    """The number of an island, 1 to 80."""
    return _NUMBERS[card]


def island(n: int) -> str:
    """The island with the number, 1 to 80."""
    return ISLANDS[n - 1]


def is_storm(card: str) -> bool:
    """Whether the card is a storm."""
    return card[0] in "YVO"


def main_deck(removed: Iterable[str], monsters: int, *, storms: bool) -> tuple[str, ...]:
    """What is dealt, in canonical order: no start card, none of the removed islands (R-RUH-01, R-RUH-28)."""
    out = frozenset(removed)
    islands = tuple(card for card in ISLANDS if card not in out)
    return islands + FINISHES + MONSTERS[:monsters] + (STORMS if storms else ())


def without(hand: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    """The hand without the cards, in its order."""
    out = frozenset(cards)
    return tuple(card for card in hand if card not in out)
