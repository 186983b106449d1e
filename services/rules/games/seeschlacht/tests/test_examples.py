"""The worked examples E-01 to E-46 (SPEC 12), as examples.json holds them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from services.rules import game
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import notation
from services.rules.games.seeschlacht.constructed import construct
from services.rules.games.seeschlacht.model import FLEETS, NUMBER, State
from services.rules.games.seeschlacht.movement import has_duty, list_paths
from services.rules.games.seeschlacht.wind import allowances

EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text())
T = TypeVar("T")


class Dice:
    """Gives the rolls of an example in their order."""

    def __init__(self, rolls: Sequence[Any]) -> None:
        self.rolls = list(rolls)

    def below(self, label: str, n: int) -> int:
        roll = self.rolls.pop(0)
        assert label == ("number" if isinstance(roll, int) else "colour")
        assert n == (6 if isinstance(roll, int) else 3)
        return roll - 1 if isinstance(roll, int) else ("yellow", "blue", "red").index(roll)

    def shuffle(self, _label: str, _items: Sequence[T]) -> tuple[T, ...]:
        raise AssertionError("nothing is shuffled in this game")

    def sample(self, _label: str, _items: Sequence[T], _k: int) -> tuple[T, ...]:
        raise AssertionError("nothing is sampled in this game")


def _fold(state: State, events: Sequence[Any]) -> State:
    for event in events:
        state = seeschlacht.evolve(state, event)
    return state


def _legal(state: State) -> list[Any]:
    return [notation.action_json(action) for action in seeschlacht.actions(state, state.seat)]


def _check(state: State, check: dict[str, Any]) -> State:
    """Checks one line of an example; returns the state after it."""
    if "allowance" in check:
        assert list(allowances(state, NUMBER[check["allowance"]])[1:]) == check["is"]
    elif "paths" in check:
        paths = list(list_paths(state, NUMBER[check["paths"]]).paths)
        assert paths == check.get("is", paths)
        assert set(check.get("has", [])) <= set(paths)
        assert not set(check.get("has_not", [])) & set(paths)
    elif "legal" in check:
        assert _legal(state) == check["legal"]
    elif "duty" in check:
        assert has_duty(state, NUMBER[check["duty"]]) == check["is"]
    elif "may_end" in check:
        assert (not any(has_duty(state, ship) for ship in FLEETS[state.seat])) == check["may_end"]
        assert ({"type": "EndMovement"} in _legal(state)) == check["may_end"]
    elif "refuse" in check:
        with pytest.raises(game.Illegal) as refused:
            seeschlacht.decide(state, notation.seat(check["seat"]), notation.action(check["refuse"]), Dice([]))
        assert refused.value.code == check["code"]
    else:
        return _do(state, check)
    return state


def _do(state: State, check: dict[str, Any]) -> State:
    dice = Dice(check["dice"])
    assert check["do"] in _legal(state)
    events = seeschlacht.decide(state, notation.seat(check["seat"]), notation.action(check["do"]), dice)
    assert not dice.rolls
    assert [notation.event_json(event) for event in events] == check["events"]
    state = _fold(state, events)
    written = notation.state_json(state)
    for name, ship in check.get("ships", {}).items():
        assert {key: written["ships"][name][key] for key in ship} == ship
    for key, value in check.get("state", {}).items():
        assert written[key] == value
    return state


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["id"])
def test_example(example: dict[str, Any]) -> None:
    state = construct(example["setup"])
    for check in example["checks"]:
        state = _check(state, check)


def test_all_46_are_here() -> None:
    assert [example["id"] for example in EXAMPLES] == [f"E-{n:02}" for n in range(1, 47)]
