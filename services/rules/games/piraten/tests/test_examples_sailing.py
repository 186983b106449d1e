"""The worked examples E01 to E25 of the SPEC, section 12: set-up, capture, lanes and harbour, freeing."""

import pytest

from services.rules.games.piraten import notation
from services.rules.games.piraten.fold import fold
from services.rules.games.piraten.model import Colour, EmptyPirateSpace, Phase, Settings, Variant
from services.rules.games.piraten.moves import HoldBoat, Roll
from services.rules.games.piraten.setup import initial, start
from services.rules.games.piraten.table import position
from services.rules.games.piraten.tests.tables import (
    Dice,
    at,
    base,
    boat,
    boat_actions,
    do,
    legal,
    pirate,
    refusal,
    roll,
    table,
)


def names(events: list[dict[str, object]]) -> list[object]:
    return [e["event"] for e in events]


def captured(events: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [(e["boat"], e["space"]) for e in events if e["event"] == "boat_captured"]


def freed(events: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [(e["boat"], e["payer"]) for e in events if e["event"] == "boat_freed"]


@pytest.mark.parametrize(
    ("die", "empty", "spaces"),
    [
        (1, "P1", ("S34", "S46")),
        (2, "P1", ("S34", "S46")),
        (3, "P2", ("S06", "S46")),
        (4, "P2", ("S06", "S46")),
        (5, "P3", ("S06", "S34")),
        (6, "P3", ("S06", "S34")),
    ],
)
def test_e01_the_setup_die(die: int, empty: str, spaces: tuple[str, ...]) -> None:
    before = initial(Settings(), 4)
    events = start(before, Dice(die))
    assert names([notation.event_json(e) for e in events]) == ["setup_die_rolled", "game_started", "turn_started"]
    assert notation.event_json(events[0]) == {"event": "setup_die_rolled", "die": die, "empty_pirate_space": empty}
    assert fold(before, events).pirates == spaces


def test_e02_no_die_for_a_chosen_space() -> None:
    settings = Settings(Variant.SMALL, None, EmptyPirateSpace.P3, 1, (Colour.RED, Colour.GREEN))
    before = initial(settings, 2)
    events = start(before, Dice())
    state = fold(before, events)
    shown = notation.state_json(state)
    assert shown["pirates"] == {"pirate1": "S06", "pirate2": "S34"}
    assert notation.event_json(events[0])["boats"] == ["green1", "red1"]
    assert list(shown["boats"]) == ["green1", "red1"]
    assert shown["owner"] == {"green": 1, "red": 0}
    assert (state.seat, legal(state)) == (1, [Roll()])


def test_e03_the_first_choices() -> None:
    state = roll(base("small", 4), 4, 2)
    boats = [boat("y1", 2, "S01 S02"), boat("y1", 4, "S01 S02 S03 S04")]
    assert legal(state) == [*boats, pirate(1, 2), pirate(1, 4), pirate(2, 2), pirate(2, 4)]
    assert [legal(state, seat) for seat in (1, 2, 3)] == [[], [], []]


def test_e04_equal_dice() -> None:
    state = table("small", 4, 5, 5)
    assert len(legal(state)) == 3
    state, events = do(state, boat("y1", 5, "S01 S02 S03 S04 S05"), pirate(2, 5))
    assert state.pirates == ("S06", "S39")
    assert names(events) == ["pirate_moved", "turn_ended", "turn_started"]
    assert (state.seat, state.dice, at(state, "y1")) == (1, (), "S05")


def test_e05_the_start_space_costs_a_point() -> None:
    state, _ = do(table("small", 4, 1, 3), boat("y1", 1, "S01"))
    assert at(state, "y1") == "S01"


def test_e06_sailing_onto_a_pirate() -> None:
    state, events = do(table("small", 4, 6, 2), boat("y1", 6, "S01 S02 S03 S04 S05 S06"))
    assert names(events) == ["boat_moved", "boat_captured"]
    assert events[0]["to"] == "S06"
    capture = {"event": "boat_captured", "boat": "yellow1", "pirate": "pirate1", "space": "S06", "cause": "boat_move"}
    assert events[1] == capture
    assert at(state, "y1") == "PRISON"
    assert legal(state) == [pirate(1, 2), pirate(2, 2)]


def test_e07_a_capture_cuts_the_way_short() -> None:
    _, events = do(table("small", 4, 5, 2, pirates=("S03", "S20")), boat("y1", 5, "S01 S02 S03 S04 S05"))
    assert (events[0]["to"], events[0]["path"]) == ("S03", ["S01", "S02", "S03"])


def test_e08_a_pirate_catches_all_on_its_way() -> None:
    state = table("small", 4, 6, 1, pirates=("S20", "S40"), y1="S26", p1="S23", g1="S21", r1="S23")
    lost, events = do(state, pirate(1, 6))
    assert captured(events) == [("green1", "S21"), ("purple1", "S23"), ("red1", "S23"), ("yellow1", "S26")]
    assert notation.result_json(lost)["reason"] == "CAPTIVES_LEFT"
    _, events = do(state, pirate(1, 1))
    assert captured(events) == [("green1", "S21")]


def test_e09_a_hideout_is_safe() -> None:
    state = table("small", 4, 4, 1, pirates=("S12", "S40"), y1="HA2", p1="HA4", g1="S15")
    state, events = do(state, pirate(1, 4))
    assert (state.pirates[0], captured(events)) == ("S16", [("green1", "S15")])


def test_e10_waiting_boats_keep_the_game_going() -> None:
    state, _ = do(table("small", 4, 3, 6, pirates=("S02", "S40"), y1="S04"), pirate(1, 3))
    assert (at(state, "y1"), state.phase) == ("PRISON", Phase.MOVE)
    assert notation.view_json(position(state), None)["counts"]["island"] == 3


def test_e11_pirates_sail_through_the_bay() -> None:
    state = table("small", 4, 5, 1, pirates=("S46", "S30"), y1="S20", p1="S48", g1="S01", r1="S03")
    state, events = do(state, pirate(1, 5))
    assert state.pirates[0] == "S03"
    assert captured(events) == [("purple1", "S48"), ("green1", "S01"), ("red1", "S03")]


def test_e12_two_routes_at_a_fork() -> None:
    state = table("small", 4, 3, 3, y1="S11")
    assert boat_actions(state) == [boat("y1", 3, "S12 S13 S14"), boat("y1", 3, "S12 HA1 HA2")]


def test_e13_a_lane_sailed_through() -> None:
    main, side = boat("y1", 5, "S29 S30 S31 S32 S33"), boat("y1", 5, "S29 HB1 HB2 HB3 S32")
    assert boat_actions(table("small", 4, 5, 5, y1="S28")) == [main, side]


def test_e14_a_pirate_at_the_mouth() -> None:
    _, events = do(table("small", 4, 2, 5, pirates=("S16", "S40"), y1="HA4"), boat("y1", 2, "S16 S17"))
    assert (events[0]["path"], captured(events)) == (["S16"], [("yellow1", "S16")])


def test_e15_into_the_harbour_or_past_it() -> None:
    state = table("small", 4, 3, 4, y1="S42")
    passing, g1 = boat("y1", 3, "S43 S44 S45"), boat("y1", 3, "S43 S44 G1")
    far, g2 = boat("y1", 4, "S43 S44 S45 S46"), boat("y1", 4, "S43 S44 G1 G2")
    assert boat_actions(state)[:4] == [passing, g1, far, g2]
    home, events = do(state, g2)
    assert events[1] == {"event": "boat_rescued", "boat": "yellow1", "goal": "G2"}
    assert at(home, "y1") == "HOME"
    assert at(do(state, passing)[0], "y1") == "S45"


def test_e16_hold() -> None:
    state = table("small", 4, 5, 2, y1="S43")
    hold = HoldBoat("yellow1", 5)
    sail = [boat("y1", 2, "S44 S45"), boat("y1", 2, "S44 G1"), boat("y1", 5, "S44 S45 S46 S47 S48")]
    assert boat_actions(state) == [*sail, hold]
    assert legal(do(state, hold)[0]) == [pirate(1, 2), pirate(2, 2)]


def test_e17_hold_only_with_too_high_a_die() -> None:
    state = table("small", 4, 3, 2, y1="S43")
    assert [refusal(state, HoldBoat("yellow1", n)) for n in (2, 3)] == ["HOLD_NOT_ALLOWED"] * 2
    held = {place: refusal(table("small", 4, 6, 1, y1=place), HoldBoat("yellow1", 6)) for place in ("S20", "ISLAND")}
    assert held == {"S20": "HOLD_NOT_ALLOWED", "ISLAND": "HOLD_NOT_ALLOWED"}
    assert refusal(table("small", 4, 6, 1, y1="S40"), HoldBoat("yellow1", 6)) == "HOLD_NOT_ALLOWED"
    assert refusal(table("small", 4, 6, 1, y1="S41"), HoldBoat("yellow1", 6)) == ""


def test_e18_caught_before_the_harbour() -> None:
    state = table("small", 4, 3, 1, pirates=("S44", "S20"), y1="S42")
    assert captured(do(state, boat("y1", 3, "S43 S44 G1"))[1]) == [("yellow1", "S44")]


def test_e19_the_goal_is_free_again() -> None:
    state, _ = do(table("small", 4, 2, 1, seat=1, y1="HOME", p1="S43"), boat("p1", 2, "S44 G1"))
    assert (at(state, "y1"), at(state, "p1")) == ("HOME", "HOME")


def test_e20_paths() -> None:
    state = table("small", 4, 5, 4, y1="S42")
    assert refusal(state, boat("y1", 5, "S43 S44 G1 G2")) == "PATH_WRONG_LENGTH"
    wrong = ["S43 S44 S45 S46 S48", "S43 S44 G1 G2 S45"]
    assert [refusal(state, boat("y1", 5, path)) for path in wrong] == ["PATH_NOT_CONNECTED"] * 2
    assert refusal(state, boat("y1", 4, "S42 S43 S44 S45")) == "PATH_NOT_CONNECTED"


def test_e21_a_life_ring_frees_all() -> None:
    state = table("small", 4, 2, 1, pirates=("S30", "S40"), y1="S08", p1="PRISON", r1="PRISON")
    state, events = do(state, boat("y1", 2, "S09 S10"))
    assert freed(events) == [("purple1", None), ("red1", None)]
    assert [at(state, b) for b in ("y1", "p1", "r1")] == ["S10"] * 3


def test_e22_passing_frees_nobody() -> None:
    state = table("small", 4, 3, 1, pirates=("S30", "S40"), y1="S08", p1="PRISON", r1="PRISON")
    assert freed(do(state, boat("y1", 3, "S09 S10 S11"))[1]) == []


def test_e23_caught_on_the_ring() -> None:
    state = table("small", 4, 2, 1, pirates=("S10", "S40"), y1="S08", p1="PRISON")
    _, events = do(state, boat("y1", 2, "S09 S10"))
    assert (captured(events), freed(events)) == ([("yellow1", "S10")], [])


def test_e24_freed_and_caught_again() -> None:
    state = table("small", 4, 2, 4, pirates=("S06", "S40"), y1="S08", p1="PRISON")
    state, events = do(state, boat("y1", 2, "S09 S10"))
    assert freed(events) == [("purple1", None)]
    _, events = do(state, pirate(1, 4))
    assert captured(events) == [("yellow1", "S10"), ("purple1", "S10")]


def test_e25_resting_on_a_ring_frees_nobody() -> None:
    state = table("small", 4, 3, 1, seat=3, pirates=("S18", "S40"), y1="S10", p1="S20", g1="S30")
    state, events = do(state, pirate(1, 3))
    assert (captured(events), freed(events)) == ([("purple1", "S20")], [])
    assert at(state, "p1") == "PRISON"
