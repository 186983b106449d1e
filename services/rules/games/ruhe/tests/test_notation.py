"""The SPEC's JSON: E01 to E03, E43 and E44 of its section 14, and everything there and back."""

import io
import itertools
import json
from typing import Any

import pytest

from services.rules.game import Illegal, Unreadable
from services.rules.games import ruhe
from services.rules.games.ruhe import cards, notation, setup
from services.rules.games.ruhe.events import CardDrawn, Cards, Discarded, DiscardReason
from services.rules.games.ruhe.legal import actors
from services.rules.games.ruhe.model import State
from services.rules.games.ruhe.setup import dealt, opening
from services.rules.games.ruhe.tests.playing import fold, playout
from services.rules.games.ruhe.tests.tables import FULL, refusal, table, window
from services.rules.loading import load
from services.rules.scripted_draws import ScriptedDraws
from services.rules.trace import main
from services.rules.views import view

GAME = load("ruhe")
OPTIONS = {"players": 3, "difficulty": "NONE", "rocks": False, "monsters": 0, "storms": False}
DECK = list(cards.main_deck((), 0, storms=False))
CHANCE = {"removed": [], "deck": DECK, "start_seat": 0, "start_pos": [0, 24, 23], "rock_row": None}


def creation(options: Any, chance: Any) -> State | str:
    try:
        settings, seats = notation.settings(options)
        state = setup.initial(settings, seats)
        return fold(state, setup.start(state, ScriptedDraws(lambda: notation.script(state, chance))))
    except Illegal as refused:
        return refused.code


def test_e01_the_deal() -> None:
    piles = dealt(tuple(DECK), 3, 0)
    assert [len(pile) for pile in piles] == [28, 29, 28]
    assert [len(pile) - opening(pile) + 1 for pile in piles] == [24, 25, 24]
    state = creation(OPTIONS, CHANCE)
    assert isinstance(state, State)
    assert state.hands[1] == ("I01", "I04", "I07", "I10", "I13")
    assert [len(pile) for pile in state.piles] == [24, 25, 24]
    assert (state.piles[0][0], state.piles[1][-1], actors(state)) == ("S1", "S2", (0,))


def test_e02_the_sizes() -> None:
    sizes = [[len(pile) for pile in dealt(tuple(DECK), seats, 0)] for seats in range(1, 6)]
    assert sizes == [[85], [42, 43], [28, 29, 28], [21, 22, 21, 21], [17] * 5]
    deck = cards.main_deck(cards.ISLANDS[:12], 5, storms=True)
    assert [len(pile) for pile in dealt(deck, 4, 0)] == [21] * 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"deck": DECK[1:]},
        {"deck": [DECK[1], *DECK[1:]]},
        {"deck": [1, *DECK[1:]]},
        {"removed": ["I01"]},
        {"start_pos": [24, 0, 0]},
        {"start_pos": [0, 0]},
        {"start_pos": [0, True, 0]},
        {"start_seat": 3},
        {"start_seat": None},
        {"rock_row": 0},
        {"more": 1},
    ],
)
def test_e03_bad_randomness(wrong: dict[str, Any]) -> None:
    assert creation(OPTIONS, CHANCE | wrong) == "BAD_RANDOMNESS"


@pytest.mark.parametrize(
    "options",
    [
        None,
        [],
        {},
        OPTIONS | {"monsters": 2},
        OPTIONS | {"monsters": False},
        OPTIONS | {"players": 6},
        OPTIONS | {"players": 0},
        OPTIONS | {"players": True},
        OPTIONS | {"rocks": 1},
        OPTIONS | {"difficulty": "HARD"},
        OPTIONS | {"more": 1},
    ],
)
def test_e03_bad_options(options: Any) -> None:
    assert creation(options, CHANCE) == "BAD_OPTIONS"


def test_e27_and_e43_views() -> None:
    state = table("F1 I70|I60 M1", FULL, start=True, monsters=3)
    shown = {viewer: notation.view_json(_seen(state, viewer), viewer) for viewer in (0, 1, None)}
    assert all(view_json["finish_blocked"] for view_json in shown.values())
    assert [view_json["hand"] for view_json in shown.values()] == [["I70", "F1"], ["I60", "M1"], None]
    assert "I60" not in json.dumps(shown[0])
    drawn, thrown = CardDrawn(0, "I05"), Discarded(1, 2, DiscardReason.TWO, Cards(("I01", "I02")))
    assert view(GAME.event, drawn, 0) == drawn
    assert view(GAME.event, drawn, 1) == view(GAME.event, drawn, None) == CardDrawn(0, None)
    assert view(GAME.event, thrown, 0).cards is None


def _seen(state: State, viewer: int | None) -> Any:
    return view(GAME.position, ruhe.position(state), viewer)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"type": "PLACE", "card": "I40", "cell": 0}, "MALFORMED"),
        ({"type": "PLACE", "card": "I40", "cell": True, "pay": []}, "MALFORMED"),
        ({"type": "PLACE", "card": 40, "cell": 0, "pay": []}, "MALFORMED"),
        ({"type": "DISCARD_TWO", "cards": [40, 41]}, "MALFORMED"),
        ({"type": "DISCARD_HAND", "more": 1}, "MALFORMED"),
        ({"type": "SWIM"}, "UNKNOWN_ACTION"),
        ({"type": []}, "UNKNOWN_ACTION"),
        ("DISCARD_HAND", "UNKNOWN_ACTION"),
        ({"type": "OFFER", "n": 1}, "WRONG_PHASE"),
        ({"type": "DISCARD_TWO", "cards": ["I40", "I40"]}, "DUPLICATE_CARD"),
        ({"type": "DISCARD_TWO", "cards": ["I40", "I50"]}, "NOT_IN_HAND"),
        ({"type": "PLAY_MONSTER", "card": "I40", "cell": 0}, "NOT_A_MONSTER"),
        ({"type": "PLAY_FINISH", "card": "I40"}, "NOT_A_FINISH"),
        ({"type": "PLAY_START", "card": "I40"}, "NOT_A_START"),
        ({"type": "PLACE", "card": "F1", "cell": 0, "pay": []}, "NOT_AN_ISLAND"),
        ({"type": "DISCARD_TWO", "cards": ["I41", "I40"]}, ""),
    ],
)
def test_e44_refusals(action: Any, code: str) -> None:
    state = table("I40 I41 F1|I01 I02")
    assert refusal(state, 0, notation.action(action)) == code


def test_e44_seats() -> None:
    state = table("I40 I41|I01 I02")
    discard = notation.action({"type": "DISCARD_TWO", "cards": ["I40", "I41"]})
    codes = [refusal(state, notation.seat(seat), discard) for seat in (1, 2, -1, "0", True, None)]
    assert codes == ["NOT_WAITING_FOR_YOU"] + ["BAD_SEAT"] * 5


@pytest.mark.parametrize("sample", ruhe.SAMPLES[5:12])
def test_actions_and_states_there_and_back(sample: tuple[Any, int]) -> None:
    for entry in itertools.islice(playout(*sample, 7), None, None, 4):
        legal = [action for seat in range(sample[1]) for action in ruhe.actions(entry.state, seat)]
        assert [notation.action(json.loads(json.dumps(notation.action_json(a)))) for a in legal] == legal
        told = [notation.state_json(entry.state), *map(notation.event_json, entry.events)]
        assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize("options", [{}, {"rocks": True, "monsters": 3}, {"storms": True, "difficulty": "TRITON"}])
def test_a_trace_fed_back_gives_the_same_lines(options: dict[str, Any], tmp_path: Any) -> None:
    first, again = io.StringIO(), io.StringIO()
    assert main(["ruhe", "--options", json.dumps(OPTIONS | options), "--count", "2"], first) == 0
    (tmp_path / "script").write_text(first.getvalue())
    assert main(["ruhe", "--script", str(tmp_path / "script")], again) == 0
    assert first.getvalue() == again.getvalue()
    assert first.getvalue().count("\n") > 20


def test_unreadable_actions_come_after_game_over() -> None:
    state = table("|I01 I02")
    assert refusal(state, 7, Unreadable("MALFORMED")) == "GAME_OVER"
    assert refusal(window(), 7, Unreadable("MALFORMED")) == "BAD_SEAT"
