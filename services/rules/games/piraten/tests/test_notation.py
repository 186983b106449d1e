"""The complete JSON of the SPEC's appendix, and actions read and written."""

import json
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from services.rules.game import Unreadable
from services.rules.games.piraten import events, moves, notation
from services.rules.games.piraten.model import EmptyPirateSpace, EndReason, Outcome, Pending, Phase, Pirate, Variant
from services.rules.games.piraten.setup import initial
from services.rules.games.piraten.table import position
from services.rules.games.piraten.tests.tables import base, table
from services.rules.scripted_draws import ScriptError

APPENDIX = json.loads(resources.files(__package__ or "").joinpath("appendix.json").read_text(encoding="utf-8"))
EVENTS: list[events.Event] = [
    events.BoatCaptured("yellow2", "pirate2", "S02", events.Cause.BOAT_MOVE),
    events.BoatFreed("red2", "S10", None),
    events.BoatHeld(0, "yellow2", 3),
    events.BoatMoved(0, "yellow2", 5, "ISLAND", "S02", ("S01", "S02")),
    events.BoatRescued("purple3", "G1"),
    events.DiceRolled(0, (5, 4)),
    events.ExchangeSkipped(2, 0),
    events.FreeingEnded(3),
    events.GameOver(Outcome.LOST, EndReason.CAPTIVES_LEFT, 17, 0, 6),
    events.GameStarted(
        Variant.EXPERIENCED,
        3,
        ("yellow1", "yellow2", "purple1", "purple2", "green1", "green2"),
        (Pirate("pirate1", "S34"), Pirate("pirate2", "S46")),
        (0, 0, 0),
    ),
    events.PirateMoved(0, "pirate2", 4, "S46", "S02", ("S47", "S48", "S01", "S02")),
    events.ProvisionPassed(1, 1, 0),
    events.ProvisionRemoved(0, events.Purpose.HIDEOUT),
    events.SetupDieRolled(1, EmptyPirateSpace.P1),
    events.TurnEnded(1, 0),
    events.TurnStarted(1, 0),
]
ACTIONS: list[tuple[dict[str, Any], moves.Action]] = [
    ({"type": "roll"}, moves.Roll()),
    ({"type": "move_boat", "boat": "red1", "points": 1, "path": ["S01"]}, moves.MoveBoat("red1", 1, ("S01",))),
    ({"type": "hold_boat", "boat": "red1", "points": 6}, moves.HoldBoat("red1", 6)),
    ({"type": "move_pirate", "pirate": "pirate2", "points": 3}, moves.MovePirate("pirate2", 3)),
    ({"type": "give_provision", "partner": 1}, moves.GiveProvision(1)),
    ({"type": "take_provision", "partner": 1}, moves.TakeProvision(1)),
    ({"type": "skip_exchange", "partner": 1}, moves.SkipExchange(1)),
    ({"type": "free_boat", "boat": "red1", "payer": 0}, moves.FreeBoat("red1", 0)),
    ({"type": "end_freeing"}, moves.EndFreeing()),
]


def test_the_state_of_the_appendix() -> None:
    sailing: dict[str, Any] = {"yellow2": "S16", "p1": "S07", "purple3": "S08", "g1": "S09", "r1": "S10", "red3": "S01"}
    captive: dict[str, Any] = dict.fromkeys(("y1", "yellow3", "purple2", "green2", "green3", "red2"), "PRISON")
    others: dict[str, Any] = {"pirates": ("S41", "S46", "S20"), "cards": (5, 7, 5, 2), "seat": 3, "turn": 20}
    state = replace(
        table("big", 4, 3, 3, **others, **sailing, **captive),
        phase=Phase.EXCHANGE,
        dice_left=(),
        is_boat_done=True,
        is_pirate_done=True,
        pending=Pending("red1", "S10", (1, 2)),
    )
    assert notation.state_json(state) == APPENDIX["state"]


def test_the_view_of_the_appendix() -> None:
    state = table("small", 3, seat=1, turn=11, pirates=("S32", "S04"), y1="S21", p1="PRISON", g1="S11")
    state = replace(state, settings=replace(state.settings, empty_pirate_space=EmptyPirateSpace.RANDOM))
    assert notation.view_json(position(state), 0) == APPENDIX["view"]


def test_the_events_of_the_appendix() -> None:
    assert [notation.event_json(e) for e in EVENTS] == APPENDIX["events"]


@pytest.mark.parametrize("written", APPENDIX["results"])
def test_the_results_of_the_appendix(written: dict[str, Any]) -> None:
    seats = 2 if written["winners"] else 3
    state = base("small" if seats == 2 else "experienced", seats, boats_per_player=seats - 1)
    place = "HOME" if written["home"] else "PRISON"
    over = replace(
        state,
        turn=written["turns"],
        boats=(place,) * len(state.boats),
        phase=Phase.OVER,
        outcome=Outcome(written["outcome"]),
        reason=EndReason(written["reason"]),
    )
    assert notation.result_json(over) == written
    assert notation.result_json(state) is None


@pytest.mark.parametrize(("written", "action"), ACTIONS)
def test_actions(written: dict[str, Any], action: moves.Action) -> None:
    assert notation.action(written) == action
    assert notation.action_json(action) == written
    assert notation.action({**written, "haste": 1}) == Unreadable("MALFORMED_ACTION")
    for name in written.keys() - {"type"}:
        assert notation.action({k: v for k, v in written.items() if k != name}) == Unreadable("MALFORMED_ACTION")
        assert notation.action({**written, name: None}) == Unreadable("MALFORMED_ACTION")


def test_options_filled_in() -> None:
    settings, seats = notation.settings({"variant": "big", "players": 3, "empty_pirate_space": None})
    assert not isinstance(settings, Unreadable)
    filled = notation.options(settings, seats)
    assert filled == {
        "variant": "big",
        "players": 3,
        "boats_per_player": 3,
        "empty_pirate_space": None,
        "first_seat": 0,
        "colours": ["yellow", "purple", "green"],
    }
    again, seats = notation.settings(filled)
    assert initial(again, seats) == initial(settings, 3)


def test_dice_injected_and_told() -> None:
    state = base("small", 2)
    assert notation.script(state, [6, 1]) == {"die": [(5,), (0,)]}
    assert notation.script(state, None) == {"die": []}
    unfit: list[Any] = [[0], [7], ["1"], [True], 3, {"die": 1}]
    for chance in unfit:
        with pytest.raises(ScriptError, match="not die results from 1 to 6"):
            notation.script(state, chance)


def test_seats() -> None:
    read: list[Any] = [notation.seat(value) for value in (0, 3, -2, True, "1", None)]
    assert read == [0, 3, -1, -1, -1, -1]
    assert notation.seat_name(2) == 2


def test_a_constructed_table() -> None:
    setup = {"options": {"players": 2, "variant": "big"}, "boats": {"red2": "HA1"}, "provisions": [7, 9], "turn": 4}
    state = notation.construct({**setup, "dice": [1, 6]})
    assert (state.phase, state.dice_left, state.turn, state.removed) == (Phase.MOVE, (1, 6), 4, 4)
    assert notation.state_json(state)["boats"]["red2"] == "HA1"
    assert state.pirates == ("S06", "S34", "S46")


@pytest.mark.parametrize(
    "odd",
    [
        {"boats": {"green1": "S10"}},
        {"boats": {"red1": "S99"}},
        {"boats": {"red1": "S06"}},
        {"boats": {"red1": "G1"}},
        {"pirates": {"pirate1": "HA1", "pirate2": "S40"}},
        {"dice": [1]},
        {"provisions": [1, 0]},
        {"provisions": [0]},
        {"seat": 2},
    ],
)
def test_a_table_that_no_match_could_show_is_not_constructed(odd: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no match could show this table"):
        notation.construct({"options": {"players": 2, "colours": ["red", "yellow"]}, **odd})
