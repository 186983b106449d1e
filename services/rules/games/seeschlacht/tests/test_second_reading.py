"""The whole game against the second reading: what is open, what is refused and why, what happens.

In positions that matches hardly come to, and along matches by chance and by the bots.
"""

import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from services.rules.game import Illegal
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import notation
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.description import REFUSALS
from services.rules.games.seeschlacht.model import FLEETS, LIMITS, NOWHERE, OPEN, SHIPS, Edition, Phase, Settings, State
from services.rules.games.seeschlacht.tests.reading.outcomes import Outcomes
from services.rules.games.seeschlacht.tests.reading.waters import ARGUMENTS, FLEET, OTHER, PHASES
from services.rules.games.seeschlacht.tests.test_examples import Dice
from services.rules.games.seeschlacht.tests.test_movement import crowd
from services.rules.loading import load
from services.rules.policies import POLICIES, list_legal
from services.rules.seeds import Chance

T = TypeVar("T")
CROWDED = (Phase.WIND, Phase.MOVE, Phase.MOVE, Phase.LOAD, Phase.REPAIR, Phase.BATTERY, Phase.FIRE)
# What a crowd does not meet, the line-up and the end, or hardly, some paths.
RARE = {"GAME_OVER", "ALREADY_PLACED", "FACING_NOT_ALLOWED", "BAD_OPTIONS"} | {
    "NEUTRAL_HARBOUR_CLOSED",
    "ENEMY_ANCHOR_AVOIDABLE",
}


def scatter(seed: int) -> State:
    """A crowd in the midst of a turn: some ships sunk, laden, moved, repaired, fired at."""
    choose = random.Random(seed)
    state = shelter(choose, crowd(seed))
    phase = CROWDED[seed % len(CROWDED)]
    edition = Edition.LARGE if phase is Phase.LOAD else choose.choice([*Edition])
    sunk = [choose.random() < 0.15 for _ in SHIPS]
    return replace(
        state,
        settings=Settings(edition, 0, choose.choice([7, 300])),
        phase=phase,
        turn=7,
        places=tuple(NOWHERE if gone else place for gone, place in zip(sunk, state.places, strict=True)),
        facings=tuple(OPEN if gone else facing for gone, facing in zip(sunk, state.facings, strict=True)),
        hits=tuple(limit if gone else n for gone, limit, n in zip(sunk, LIMITS, state.hits, strict=True)),
        cargo=tuple(not gone and ship % 10 < 3 and choose.random() < 0.5 for ship, gone in enumerate(sunk)),
        moved=some(choose, FLEETS[state.seat]),
        repaired=some(choose, FLEETS[state.seat]),
        shelled=some(choose, FLEETS[1 - state.seat]),
        fired=some(choose, FLEETS[state.seat]),
        arrivals=some(choose, (0, 1, 2, 10, 11, 12)) if edition is Edition.SHORT else (),
    )


def shelter(choose: random.Random, state: State) -> State:
    """Some merchants lie where they may rest: in the neutral harbour or at their destination."""
    board, places = load_board(), list(state.places)
    for ship in (0, 1, 2, 10, 11, 12):
        place = choose.choice(sorted(board.destination[ship // 10] | board.neutral))
        if place not in places and choose.random() < 0.5:
            places[ship] = place
    return replace(state, places=tuple(places))


def some(choose: random.Random, values: Sequence[T]) -> tuple[T, ...]:
    """A few of the values, in any order."""
    return tuple(choose.sample(values, choose.choice((0, 0, 1, 2, 3))))


def invent(choose: random.Random, state: Any) -> Any:
    """An action that somebody may ask for, mostly one of the phase and of own ships."""
    seat, phase = state["seat"], state["phase"]
    kind = choose.choice([*PHASES.get(phase, ("KeepWind",))[:1] * 60, *ARGUMENTS, "Teleport"])
    ship = choose.choice([*FLEET[seat] * 10, *FLEET[OTHER[seat]], "WX9"])
    target = choose.choice([*FLEET[OTHER[seat]] * 10, *FLEET[seat], "YY9"])
    path = "".join(choose.choices("FLRX", (6, 3, 3, 1), k=choose.choice((0, 1, 1, 2, 2, 3, 4, 5))))
    known = {"ship": ship, "target": target, "path": path, "dir": choose.randint(0, 7)}
    action = {"type": kind, **{key: known[key] for key in ARGUMENTS.get(kind, ())}}
    spoilt = [{**action, "more": 1}, {**action, "ship": 1, "dir": True}, {"type": [kind]}, kind, None]
    return choose.choice(spoilt) if choose.random() < 0.05 else action


def roll(choose: random.Random, action: Any) -> list[Any]:
    """Rolls for the action, in the order of SPEC 8.3."""
    colour, number, permission = choose.choice(("yellow", "blue", "red")), choose.randint(1, 6), choose.randint(1, 6)
    wind = [permission] if permission % 2 else [permission, colour, number]
    return {"ChangeWind": wind, "ChangeStrength": [colour], "Fire": [colour], "FireBattery": [colour]}.get(
        action["type"], []
    )


def take(state: State, seat: str, action: Any, dice: Sequence[Any]) -> tuple[str, list[Any], State]:
    """What the rules make of it: the code, or the events and the state after them."""
    rolls = Dice(dice)
    try:
        events = seeschlacht.decide(state, notation.seat(seat), notation.action(action), rolls)
    except Illegal as refused:
        return refused.code, [], state
    assert not rolls.rolls, "rolls are left"
    for event in events:
        state = seeschlacht.evolve(state, event)
    return "", [notation.event_json(event) for event in events], state


def compare(state: State, seat: str, action: Any, choose: random.Random) -> tuple[str, State]:
    """Tries the action on both; they agree on the code, or on the events, the state and what is open then."""
    reading = Outcomes(json.loads(json.dumps(notation.state_json(state))))
    code = reading.refuse(seat, action)
    dice = [] if code else roll(choose, action)
    expected = [] if code else reading.apply(action, dice)
    found, events, after = take(state, seat, action, dice)
    assert (found, events) == (code, expected), (action, notation.state_json(state))
    assert notation.state_json(after) == reading.state
    return code, after


def compare_lists(state: State) -> None:
    """Both list the same actions in the same order, for either seat."""
    reading = Outcomes(notation.state_json(state))
    for number, seat in enumerate(FLEET):
        assert [notation.action_json(a) for a in seeschlacht.actions(state, number)] == reading.legal(seat)


def test_crowded_positions() -> None:
    codes = Counter[str]()
    for seed in range(210):
        choose, state = random.Random(seed), scatter(seed)
        compare_lists(state)
        written = notation.state_json(state)
        for _ in range(40):
            seat = choose.choice([written["seat"]] * 20 + [OTHER[written["seat"]], "red"])
            code, after = compare(state, seat, invent(choose, written), choose)
            codes[code] += 1
        compare_lists(after)
    wanted = {"", "UNKNOWN_ACTION", "BAD_ARGUMENTS", *REFUSALS} - RARE
    assert not wanted - codes.keys(), f"the sample does not meet {wanted - codes.keys()}"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("edition", Edition)
def test_whole_matches(edition: Edition, policy: str) -> None:
    """Every decision of a match, and between them actions that are mostly refused."""
    game, chance, choose = load("seeschlacht"), Chance(3), random.Random(3)
    state = seeschlacht.initial(Settings(edition, 1, 24), 2)
    for event in seeschlacht.start(state, chance.start()):
        state = seeschlacht.evolve(state, event)
    for step in itertools.count():
        if not (legal := list_legal(game, state)):
            break
        if step % 4 == 0:
            compare_lists(state)
        compare(state, notation.seat_name(state.seat), invent(choose, notation.state_json(state)), choose)
        seat, action = POLICIES[policy](game, state, legal, chance.policy)
        code, state = compare(state, notation.seat_name(seat), notation.action_json(action), choose)
        assert not code
    assert compare(state, "white", {"type": "KeepWind"}, choose) == ("GAME_OVER", state)
