"""The worked examples E26 to E40 of the SPEC, section 12: whose boat, pirates, the end."""

from typing import Any

import pytest

from services.rules.games.piraten import notation
from services.rules.games.piraten.legality import actors
from services.rules.games.piraten.model import Phase
from services.rules.games.piraten.moves import HoldBoat
from services.rules.games.piraten.rules import status
from services.rules.games.piraten.tests.tables import (
    at,
    base,
    boat,
    boat_actions,
    do,
    movers,
    pirate,
    refusal,
    roll,
    table,
)


def test_e26_own_boat_first() -> None:
    state = table("small", 4, 3, 1, y1="S20", p1="S30")
    assert movers(state) == ["yellow1"]
    assert refusal(state, boat("p1", 1, "S31")) == "OWN_BOAT_FIRST"


def test_e27_a_captive_moves_any_other() -> None:
    state = table("small", 4, 1, 2, y1="PRISON", p1="S20", g1="HA1", r1="ISLAND")
    assert boat_actions(state) == [
        boat("p1", 1, "S21"),
        boat("p1", 2, "S21 S22"),
        boat("g1", 1, "HA2"),
        boat("g1", 2, "HA2 HA3"),
        boat("r1", 1, "S01"),
        boat("r1", 2, "S01 S02"),
    ]
    assert refusal(state, boat("y1", 1, "S01")) == "BOAT_CAPTIVE"


def test_e28_a_boat_at_home_moves_any_other() -> None:
    state = table("small", 4, 6, 2, y1="HOME", p1="HOME", g1="S42", r1="PRISON")
    assert {a.boat for a in boat_actions(state)} == {"green1"}
    assert HoldBoat("green1", 6) in boat_actions(state)
    assert refusal(state, boat("y1", 2, "S01 S02")) == "BOAT_HOME"


def test_e29_judged_when_the_boat_half_is_played() -> None:
    state, _ = do(table("small", 4, 2, 5, pirates=("S06", "S40"), y1="S08", p1="S20"), pirate(1, 2))
    assert movers(state) == ["purple1", "green1", "red1"]
    assert {a.points for a in boat_actions(state)} == {5}


def test_e30_a_freed_boat_must_be_moved_by_its_owner() -> None:
    state = table("small", 2, 2, 1, seat=1, pirates=("S30", "S40"), y1="PRISON", p1="S08")
    state, _ = do(state, boat("p1", 2, "S09 S10"), pirate(1, 1))
    state = roll(state, 1, 2)
    assert (state.seat, movers(state)) == (0, ["yellow1"])
    assert refusal(state, boat("p1", 1, "S11")) == "OWN_BOAT_FIRST"


@pytest.mark.parametrize(("first", "expected"), [("PRISON", ["yellow2"]), ("ISLAND", ["yellow1", "yellow2"])])
def test_e31_several_boats(first: str, expected: list[str]) -> None:
    state = table("experienced", 2, 2, 3, settings={"boats_per_player": 2}, y1=first, yellow2="S20")
    assert movers(state) == expected


def test_e32_pirates_share_and_overtake() -> None:
    state = table("small", 4, 2, 5, pirates=("S10", "S12"), y1="S30")
    assert do(state, pirate(1, 2))[0].pirates == ("S12", "S12")
    assert do(state, pirate(1, 5))[0].pirates == ("S15", "S12")


def test_e33_the_first_pirate_is_the_captor() -> None:
    _, events = do(table("small", 4, 4, 1, pirates=("S13", "S13"), y1="S11"), boat("y1", 4, "S12 S13 S14 S15"))
    assert events[1]["pirate"] == "pirate1"


def test_e34_each_half_once() -> None:
    after_boat, _ = do(table("small", 4, 2, 3), boat("y1", 2, "S01 S02"))
    assert refusal(after_boat, boat("y1", 3, "S03 S04 S05")) == "BOAT_ALREADY_MOVED"
    assert refusal(after_boat, pirate(1, 2)) == "DIE_NOT_AVAILABLE"
    after_pirate, _ = do(table("small", 4, 2, 3), pirate(1, 2))
    assert refusal(after_pirate, pirate(1, 3)) == "PIRATE_ALREADY_MOVED"


def test_e35_the_last_free_boat_goes_home_alone() -> None:
    state = table("small", 4, 2, 5, y1="S43", p1="PRISON", g1="HOME", r1="HOME")
    state, events = do(state, boat("y1", 2, "S44 G1"))
    assert [e["event"] for e in events] == ["boat_moved", "boat_rescued", "game_over"]
    expected = {"outcome": "lost", "reason": "CAPTIVES_LEFT", "turn": 1, "home": 3, "captive": 1}
    assert events[-1] == {"event": "game_over", **expected}
    assert actors(state) == ()
    tried: list[Any] = [{"type": "roll"}, pirate(1, 5), {}, 7]
    assert {refusal(state, a) for a in tried} == {"GAME_OVER"}
    assert (status(state).scores, status(state).reason) == ((0.0,) * 4, "CAPTIVES_LEFT")


def test_e36_all_home() -> None:
    state = table("small", 4, 2, 5, y1="S43", p1="HOME", g1="HOME", r1="HOME")
    state, _ = do(state, boat("y1", 2, "S44 G1"))
    expected = {"outcome": "won", "reason": "ALL_HOME", "turns": 1, "home": 4, "captive": 0, "winners": [0, 1, 2, 3]}
    assert notation.result_json(state) == expected
    assert status(state).scores == (1.0,) * 4


def test_e37_lost_with_a_die_left() -> None:
    state = table("small", 4, 2, 6, pirates=("S06", "S40"), y1="S08", p1="PRISON", g1="PRISON", r1="HOME")
    state, _ = do(state, pirate(1, 2))
    assert (state.phase, state.dice_left) == (Phase.OVER, (6,))


def test_e38_a_waiting_boat_keeps_the_game_going() -> None:
    state, _ = do(table("small", 2, 1, 2, pirates=("S05", "S40"), y1="S04"), boat("y1", 1, "S05"))
    assert (at(state, "y1"), at(state, "p1"), state.phase) == ("PRISON", "ISLAND", Phase.MOVE)


def test_e39_the_turn_limit() -> None:
    state = table("small", 2, 1, 2, turn=200, y1="S20", p1="S25")
    state, events = do(state, boat("y1", 1, "S21"), pirate(1, 2))
    assert [e["event"] for e in events[1:]] == ["turn_ended", "game_over"]
    assert (events[-1]["outcome"], events[-1]["reason"], state.pending) == ("lost", "TURN_LIMIT", None)
    state, events = do(table("small", 2, 1, 2, turn=199, y1="S20", p1="S25"), boat("y1", 1, "S21"), pirate(1, 2))
    assert events[-1] == {"event": "turn_started", "turn": 200, "seat": 1}


def test_e40_refusals_of_form() -> None:
    state = table("small", 4, 1, 2)
    assert refusal(state, {"type": "move_pirate", "pirate": "pirate1", "points": 1}, seat=1) == "NOT_YOUR_TURN"
    assert refusal(state, {"type": "roll"}) == "WRONG_PHASE"
    unreadable: list[Any] = [{"type": "fly"}, {}, None, "roll", []]
    assert [refusal(state, a) for a in unreadable] == ["UNKNOWN_ACTION"] * 5
    moves: tuple[dict[str, Any], ...] = (
        {},
        {"points": "1"},
        {"points": True},
        {"points": 1, "pirate": 1},
        {"points": 1, "speed": 2},
    )
    forms = [{"type": "move_pirate", "pirate": "pirate1"} | move for move in moves]
    assert [refusal(state, form) for form in forms] == ["MALFORMED_ACTION"] * 5
    assert refusal(state, pirate(3, 1)) == "UNKNOWN_PIRATE"
    assert refusal(state, boat("red9", 1, "S01")) == "UNKNOWN_BOAT"
    assert refusal(state, pirate(1, 3)) == "DIE_NOT_AVAILABLE"
    assert refusal(base("small", 4), pirate(1, 3)) == "WRONG_PHASE"
