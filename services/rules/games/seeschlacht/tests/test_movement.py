"""Paths against the second reading of SPEC 7.4, on crowded waters."""

import itertools
import random
from dataclasses import replace

import pytest

from services.rules.game import Illegal
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import notation
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.description import REFUSALS
from services.rules.games.seeschlacht.model import (
    COLOURS,
    FLEETS,
    LIMITS,
    NOWHERE,
    OPEN,
    SHIPS,
    Colour,
    Phase,
    Settings,
    State,
    Wind,
)
from services.rules.games.seeschlacht.movement import check_path, has_duty, list_paths
from services.rules.games.seeschlacht.tests.reading.sea import Sea
from services.rules.games.seeschlacht.tests.test_examples import EXAMPLES


def crowd(seed: int) -> State:
    """Twenty ships close together somewhere, at random, in a random wind."""
    choose, board = random.Random(seed), load_board()
    state = replace(seeschlacht.initial(Settings(), 2), phase=Phase.MOVE, turn=1, seat=choose.randrange(2))
    centre = choose.choice(sorted(board.anchor)) if seed % 4 else choose.randrange(len(board.fields))
    near = [centre]
    for place in near:
        near += [n for n in board.ahead[place][1:] if n >= 0 and n not in near]
        if len(near) > 45:
            break
    places = choose.sample(near[:45], 20)
    for ship, place in enumerate(places):
        if place in board.neutral and ship % 10 > 2:
            places[ship] = choose.choice([n for n in range(len(board.fields)) if n not in near and n not in places])
    return replace(
        state,
        wind=Wind(choose.choice(COLOURS), choose.randint(1, 6)),
        places=tuple(places),
        facings=tuple(choose.randint(1, 6) for _ in SHIPS),
        hits=tuple(choose.randrange(limit) for limit in LIMITS),
    )


def refusal(state: State, ship: int, path: str) -> str:
    """The code of the refusal, "" for a legal path."""
    try:
        check_path(state, ship, path)
    except Illegal as refused:
        return refused.code
    return ""


def test_legal_paths_are_those_of_a_literal_reading() -> None:
    groups = dict.fromkeys(("CLEAN", "ENEMY_ANCHOR", "RAM", "STUCK"), 0)
    for seed in range(250):
        state = crowd(seed)
        written = notation.state_json(state)
        for ship in FLEETS[state.seat]:
            reading, found = Sea(written), list_paths(state, ship)
            group, paths = reading.legal_paths(SHIPS[ship])
            assert (found.group.name, list(found.paths)) == (group, paths)
            assert has_duty(state, ship) == reading.has_duty(SHIPS[ship])
            assert paths or not reading.has_duty(SHIPS[ship]), "a ship with duty has a legal path"
            groups[group] += bool(paths)
    assert min(groups.values()) >= 10, f"the sample does not meet every group: {groups}"


@pytest.mark.parametrize("seed", [6, 66, 115, 313])  # among them paths of every kind beside every group
def test_any_other_path_is_refused_with_the_code_of_a_literal_reading(seed: int) -> None:
    state = crowd(seed)
    reading = Sea(notation.state_json(state))
    for ship in FLEETS[state.seat]:
        known = reading.legal_paths(SHIPS[ship])
        for length in range(5):
            for path in map("".join, itertools.product("FLRX", repeat=length)):
                code = reading.judge_path(SHIPS[ship], path, *known)
                assert refusal(state, ship, path) == code
                assert code in {"", *REFUSALS}


def test_no_ship_has_more_paths_than_the_specification_says() -> None:
    """At most 35 paths of at most 5 letters, with a strong wind (SPEC 10)."""
    start, most, longest = seeschlacht.initial(Settings(), 2), 0, 0
    for place, facing, origin in itertools.product(range(len(load_board().fields)), range(1, 7), range(1, 7)):
        lone = (place, *(NOWHERE,) * 19), (facing, *(OPEN,) * 19)
        state = replace(start, wind=Wind(Colour.RED, origin), places=lone[0], facings=lone[1])
        paths = list_paths(state, 0).paths
        most, longest = max(most, len(paths)), max([longest, *map(len, paths)])
    assert (most, longest) == (35, 5)


def test_an_endless_path_is_refused() -> None:
    state = crowd(1)
    assert all(refusal(state, ship, "F" * 100_000) for ship in FLEETS[state.seat])


def test_the_examples_meet_every_refusal() -> None:
    codes = {check["code"] for example in EXAMPLES for check in example["checks"] if "code" in check}
    assert codes | {"BAD_OPTIONS"} == REFUSALS.keys() | {"UNKNOWN_ACTION", "BAD_ARGUMENTS"}
