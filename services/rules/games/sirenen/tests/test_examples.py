"""Every worked example of the SPEC (section 12.2), which stand in examples.json as they do there."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.rules.game import Illegal
from services.rules.games.sirenen import notation
from services.rules.games.sirenen.constructed import construct
from services.rules.games.sirenen.events import Event
from services.rules.games.sirenen.model import State
from services.rules.games.sirenen.table import actors
from services.rules.loading import load
from services.rules.scripted_draws import ScriptedDraws
from services.rules.views import view

GAME = load("sirenen")
RULES = GAME.module
EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=[x["id"] for x in EXAMPLES])
def test_example(example: dict[str, Any]) -> None:
    state = _start(example) if "new" in example else construct(example["setup"])
    for step in example["steps"]:
        state = _step(state, step)


def test_all_examples_are_here() -> None:
    assert {x["id"][:3] for x in EXAMPLES} == {f"E{n:02}" for n in range(1, 33)}


def _start(example: dict[str, Any]) -> State:
    settings, seats = notation.settings(example["new"]["options"])
    deal = example["new"]["deal"]
    if deal["order"] == "identity":
        deal = {**deal, "order": list(range(52))}
    state: State = RULES.initial(settings, seats)
    events = RULES.start(state, ScriptedDraws(lambda: notation.script(state, deal)))
    assert [notation.event_json(e) for e in events] == example["events"]
    return _fold(state, events)


def _fold(state: State, events: tuple[Event, ...]) -> State:
    for event in events:
        state = RULES.evolve(state, event)
    return state


def _step(state: State, step: dict[str, Any]) -> State:
    match step:
        case {"do": [seat, action], "events": expected}:
            events = RULES.decide(state, seat, notation.action(action), ScriptedDraws(dict))
            assert [notation.event_json(e) for e in events] == expected
            return _fold(state, events)
        case {"refuse": [seat, action], "code": code}:
            with pytest.raises(Illegal) as refusal:
                RULES.decide(state, notation.seat(seat), notation.action(action), ScriptedDraws(dict))
            assert refusal.value.code == code
        case {"legal": seat, "actions": expected}:
            assert [notation.action_json(a) for a in RULES.actions(state, seat)] == expected
        case {"legal": seat, "count": expected}:
            assert Counter(notation.action_json(a)["type"] for a in RULES.actions(state, seat)) == expected
        case {"then": facts}:
            whole = notation.state_json(state) | {
                "in_play": [s.ship for s in state.ships],
                "points": [p.points for p in state.players],
                "actors": list(actors(state)),
            }
            assert {path: _follow(whole, path) for path in facts} == facts
        case {"view": viewer, "is": facts}:
            seen = notation.view_json(view(GAME.position, RULES.position(state), viewer), viewer)
            assert {path: _follow(seen, path) for path in facts} == facts
        case _:
            pytest.fail(f"a step of an unknown kind: {step}")
    return state


def _follow(value: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(value, list):
            is_ship = bool(value) and isinstance(value[0], dict) and "ship" in value[0]
            value = next(v for v in value if v["ship"] == int(name)) if is_ship else value[int(name)]
        else:
            value = value[name]
    return value
