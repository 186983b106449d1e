"""The names of the components, from data/components.json."""

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from services.rules.games.ruhe import cards
from services.rules.games.ruhe.model import REMOVED

LANGUAGES = ("en", "de")


@functools.cache
def load() -> Mapping[str, Any]:
    """The file's content. Raises ValueError where it does not fit the rules or lacks a name."""
    text = resources.files(__package__).joinpath("data/components.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    problems = [*_missing_names(content), *_wrong_cards(content), *_wrong_difficulties(content)]
    if problems:
        raise ValueError(f"components.json: {'; '.join(problems)}")
    return content


def _missing_names(content: Mapping[str, Any]) -> list[str]:
    named = [
        content["title"],
        *(x["name"] for part in ("kinds", "pieces", "difficulties", "actions") for x in content[part]),
    ]
    return [f"{name} lacks a language" for name in named if set(name) != set(LANGUAGES)]


def _wrong_cards(content: Mapping[str, Any]) -> list[str]:
    wanted = {p: [c for c in cards.ALL if c[0] == p] for p in "ISFMYVO"}
    found = {kind["prefix"]: (kind["first"], kind["count"]) for kind in content["kinds"]}
    return [f"{p} is not {c[0]} to {c[-1]}" for p, c in wanted.items() if found.get(p) != (c[0], len(c))]


def _wrong_difficulties(content: Mapping[str, Any]) -> list[str]:
    found = {d["id"]: d["islands_removed"] for d in content["difficulties"]}
    return [] if found == {d.name: n for d, n in REMOVED.items()} else ["difficulties differ from the rules"]


@functools.cache
def kind_name(prefix: str, language: str) -> str:
    """What cards with the prefix are called."""
    names = {kind["prefix"]: kind["name"] for kind in load()["kinds"]}
    return str(names[prefix].get(language, names[prefix]["en"]))


@functools.cache
def difficulty_name(difficulty: str, language: str) -> str:
    """What the difficulty is called."""
    names = {d["id"]: d["name"] for d in load()["difficulties"]}
    return str(names[difficulty].get(language, names[difficulty]["en"]))


def title(language: str) -> str:
    """What the game is called."""
    names = load()["title"]
    return str(names.get(language, names["en"]))


def card_name(card: str, language: str) -> str:
    """An island by its number, another card by its kind and id."""
    return str(cards.number(card)) if card[0] == "I" else f"{kind_name(card[0], language)} {card}"


def list_names(held: tuple[str, ...], language: str) -> str:
    """The cards, one after another; a dash for none."""
    return ", ".join(card_name(card, language) for card in held) or "-"
