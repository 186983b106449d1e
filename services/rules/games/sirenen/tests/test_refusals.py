"""Refusals that the worked examples do not show, and that all are described."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from services.kit.draws import SeededDraws
from services.rules.game import Illegal, Notation, Unreadable
from services.rules.games.sirenen import notation
from services.rules.games.sirenen.components import read_deck
from services.rules.games.sirenen.model import Action, EndTurn, PlayCard, Position, Settings, State, UseRum
from services.rules.games.sirenen.tests.playing import RULES, begin

if TYPE_CHECKING:
    from services.rules.games.sirenen.events import Event

EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text())
UNCAUSED = {"UNKNOWN_SEAT"}  # no client can ask for a seat that is not there


def test_every_code_is_shown_by_an_example_and_described() -> None:
    shown = {step["code"] for x in EXAMPLES for step in x["steps"] if "refuse" in step}
    assert shown - UNCAUSED == RULES.DESCRIPTION.refusals.keys() - {"BAD_OPTIONS"}


@pytest.mark.parametrize(
    "options", [None, [], "BASE", {"variant": "base"}, {"variant": None}, {"seats": 2}, {"variant": 1}]
)
def test_bad_options_are_refused(options: Any) -> None:
    settings, seats = notation.settings(options)
    assert settings == Unreadable("BAD_OPTIONS")
    with pytest.raises(Illegal, match="BAD_OPTIONS"):
        RULES.initial(settings, seats)


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_the_game_is_for_two(seats: int) -> None:
    with pytest.raises(Illegal, match="BAD_OPTIONS"):
        RULES.initial(Settings(), seats)


ORDER = list(range(52))
BAD_DEALS = [
    None,
    {},
    {"order": ORDER},
    {"order": ORDER, "start_player": 2},
    {"order": ORDER, "start_player": True},
    {"order": ORDER, "start_player": None},
    {"order": ORDER[1:], "start_player": 0},
    {"order": [*ORDER[1:], 1], "start_player": 0},
    {"order": [False, *ORDER[1:]], "start_player": 0},
    {"order": [0.0, *ORDER[1:]], "start_player": 0},
    {"order": "x", "start_player": 0},
    {"order": ORDER, "start_player": 0, "more": 1},
]


@pytest.mark.parametrize("deal", BAD_DEALS)
def test_bad_deals_are_refused(deal: Any) -> None:
    with pytest.raises(Illegal, match="BAD_DEAL"):
        notation.script(RULES.initial(Settings(), 2), deal)


@pytest.mark.parametrize(
    "action", [PlayCard(52, 28, 0), PlayCard(-1, 28, 0), PlayCard(3, 29, 0), PlayCard(3, 28, 2), UseRum(0)]
)
def test_what_does_not_exist_is_malformed_before_all_else(action: Action) -> None:
    state = begin(Settings(), 1)[2]
    for seat in (0, 1):
        with pytest.raises(Illegal, match="MALFORMED_ACTION"):
            RULES.decide(state, seat, action, SeededDraws(bytes(32)))


def test_before_the_deal_nobody_is_on_turn() -> None:
    empty = begin(Settings(), 1)[0]
    assert RULES.status(empty).turn == ()
    with pytest.raises(Illegal, match="NOT_YOUR_TURN"):
        RULES.decide(empty, 0, EndTurn(), SeededDraws(bytes(32)))


def test_the_notation_is_one() -> None:
    whole: Notation[Settings, State, Action, Event, Position] = notation
    assert whole.options(Settings(), 2) == {"variant": "BASE"}
    assert [whole.seat(v) for v in (0, 1, 2, True, "0", None)] == [0, 1, -1, -1, -1, -1]


def test_a_deck_with_unequal_sets_is_refused() -> None:
    path = Path(__file__).parent.parent / "data" / "components.json"
    components = json.loads(path.read_text())
    deck = read_deck(components)
    # The table of SPEC section 1.
    for card in range(52):
        i = card % 26
        assert deck.values[card] == (i - 4 if i < 4 else (i - 4) // 2)
        assert deck.icons[card] == (deck.values[card] <= 0)
    components["cards"][3]["value"] = 5
    with pytest.raises(ValueError, match="same values"):
        read_deck(components)
    with pytest.raises(ValueError, match="ids 0 to 51"):
        read_deck({**components, "cards": components["cards"][1:]})
