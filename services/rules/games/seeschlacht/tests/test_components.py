"""components.json names what the rules know, in both languages."""

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import COLOURS, LIMITS, NUMBER, SEATS, SHIPS

FILE = resources.files("services.rules.games.seeschlacht") / "data" / "components.json"
COMPONENTS = json.loads(FILE.read_bytes())


def ids(kind: str) -> list[Any]:
    return [thing["id"] for thing in COMPONENTS[kind]]


def names(value: Any) -> Iterator[Any]:
    """All names in the file, however deep."""
    if isinstance(value, dict):
        yield from (inner for key, inner in value.items() if key in {"name", "title"})
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from names(inner)


def test_everything_has_a_name_in_german_and_english() -> None:
    found = list(names(COMPONENTS))
    things = [thing for things in COMPONENTS.values() if isinstance(things, list) for thing in things]
    assert len(found) == len(things) + 1
    assert all(name.keys() == {"de", "en"} and all(name.values()) for name in found)


def test_it_names_the_things_of_the_rules() -> None:
    assert ids("seats") == list(SEATS)
    assert ids("roses") == list(COLOURS)
    assert set(ids("harbours")) == {harbour.id for harbour in load_board().chart.harbours}
    assert sorted(ship for kind in COMPONENTS["ships"] for ship in kind["ids"]) == sorted(SHIPS)
    assert all(LIMITS[NUMBER[ship]] == kind["sinks_at"] for kind in COMPONENTS["ships"] for ship in kind["ids"])
    assert {die["id"]: die["faces"] for die in COMPONENTS["dice"]} == {
        "colour": list(COLOURS),
        "number": [1, 2, 3, 4, 5, 6],
    }
