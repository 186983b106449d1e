"""The cards, from data/components.json (SPEC section 1)."""

import functools
import json
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from typing import Any

from services.rules.games.sirenen.model import CARDS, SHIPS, Crew, Suit


@dataclass(frozen=True, slots=True)
class Deck:
    """By card id: value, suit, and whether it bears the move-crew icon (R-SIR-01); names by language."""

    values: tuple[int, ...]
    suits: tuple[Suit, ...]
    icons: tuple[bool, ...]
    names: dict[str, tuple[str, ...]]
    crew: dict[str, dict[Crew, str]]


@functools.cache
def load_deck() -> Deck:
    """The deck of the data file. Raises ValueError that says what is wrong with it."""
    text = resources.files(__package__).joinpath("data", "components.json").read_text("utf-8")
    return read_deck(json.loads(text))


def read_deck(components: Any) -> Deck:
    """The deck that the file's content describes. Raises ValueError."""
    cards = components["cards"]
    if [c["id"] for c in cards] != list(range(CARDS)):
        raise ValueError(f"components.json: cards must have the ids 0 to {CARDS - 1} in order")
    if [s["id"] for s in components["ships"]] != list(SHIPS):
        raise ValueError(f"components.json: ships must be {SHIPS}")
    values, suits = tuple(c["value"] for c in cards), tuple(Suit(c["suit"]) for c in cards)
    sets = [Counter(v for v, s in zip(values, suits, strict=True) if s is suit) for suit in Suit]
    if sets[0] != sets[1]:
        raise ValueError("components.json: both suits must have the same values (R-SIR-02)")
    return Deck(
        values=values,
        suits=suits,
        icons=tuple(c["icon"] for c in cards),
        names={lang: tuple(c["name"][lang] for c in cards) for lang in ("en", "de")},
        crew={lang: {Crew(c["id"]): c["name"][lang] for c in components["crew"]} for lang in ("en", "de")},
    )
