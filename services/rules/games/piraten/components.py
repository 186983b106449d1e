"""The names of things in each language, read from data/components.json and checked."""

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from services.rules.games.piraten import board
from services.rules.games.piraten.model import HOME, ISLAND, PRISON, Colour

LANGUAGES = ("en", "de")


@functools.cache
def names(language: str) -> Mapping[str, str]:
    """Boats, pirates, colours and places by id; spaces are called by their ids. English for unknown languages."""
    language = language if language in LANGUAGES else LANGUAGES[0]
    data = _load()
    parts = (*data["groups"], *data["colours"], *data["places"], *data["kinds"], *data["hideouts"])
    named = {part["id"]: part["name"][language] for part in parts}
    boats = {boat: f"{named[boat[:-1]]} {boat[-1]}" for boat in data["boats"]}
    pirates = {pirate: f"{named['pirate']} {pirate[-1]}" for pirate in data["pirates"]}
    return named | boats | pirates


@functools.cache
def letters() -> Mapping[str, str]:
    """The letter by which drawings show each colour's boats."""
    return {colour["id"]: colour["letter"] for colour in _load()["colours"]}


@functools.cache
def _load() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("data", "components.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    expected = {
        "colours": {str(c) for c in Colour},
        "places": {ISLAND, PRISON, HOME},
        "hideouts": {lane.id for lane in board.load().lanes},
    }
    for group, ids in expected.items():
        if {part["id"] for part in data[group]} != ids:
            raise ValueError(f"components: {group} are not {sorted(ids)}")
    if data["boats"] != [f"{colour}{n}" for colour in Colour for n in (1, 2, 3)]:
        raise ValueError("components: not the twelve boats in boat order")
    named = [part for group in data.values() if isinstance(group, list) for part in group if isinstance(part, dict)]
    if any(not part["name"].get(language) for part in named for language in LANGUAGES):
        raise ValueError(f"components: a name is missing in one of {LANGUAGES}")
    return data
