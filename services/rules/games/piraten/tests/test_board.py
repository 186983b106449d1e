"""The board as SPEC, section 3, states it, and what its reader refuses."""

from importlib import resources

import pytest

from services.rules.games.piraten import board

TEXT = resources.files(board.__package__ or "").joinpath("data", "board.toml").read_text(encoding="utf-8")


def test_the_loop_is_48_spaces_from_the_start_space() -> None:
    assert board.load().loop == tuple(f"S{n:02}" for n in range(1, 49))
    assert board.load().after["S48"] == ("S01",)
    assert board.load().after["ISLAND"] == ("S01",)


def test_hideouts_rings_pictures_and_harbour() -> None:
    table = board.load()
    lanes = [(lane.fork, lane.spaces, lane.beside, lane.merge) for lane in table.lanes]
    assert lanes == [
        ("S12", ("HA1", "HA2", "HA3", "HA4"), ("S13", "S14", "S15"), "S16"),
        ("S29", ("HB1", "HB2", "HB3"), ("S30", "S31"), "S32"),
    ]
    assert table.rings == {"S10", "S22"}
    assert table.pirate_spaces == {"P1": "S06", "P2": "S34", "P3": "S46"}
    assert (table.harbour_fork, table.goals, table.turn_limit_per_boat) == ("S44", ("G1", "G2"), 100)


def test_distances_to_the_last_goal() -> None:
    distance = board.load().distance
    near = {"S44": 2, "S43": 3, "S42": 4, "S41": 5, "S40": 6, "S39": 7, "S45": 49, "ISLAND": 46}
    assert {space: distance[space] for space in near} == near
    assert min(d for s, d in distance.items() if s not in ("S44", "S43", "S42", "S41", "S40", "G1", "G2")) == 7


def test_every_die_can_be_sailed_and_forks_at_most_once() -> None:
    table = board.load()
    for space in table.after.keys() - set(table.goals):
        for n in range(1, 7):
            routes = table.routes[space, n]
            assert 1 <= len(routes) <= 2
            assert not set(routes[0]) & {*table.hideouts, *table.goals} or space in table.hideouts
    assert table.routes["S42", 6] == (("S43", "S44", "S45", "S46", "S47", "S48"),)


def test_pirates_keep_to_the_loop() -> None:
    courses = board.load().courses
    assert courses["S46", 5] == ("S47", "S48", "S01", "S02", "S03")
    assert courses["S42", 4] == ("S43", "S44", "S45", "S46")
    assert courses.keys() == {(space, n) for space in board.load().loop for n in range(1, 7)}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("format = 1", "format = 2", "format"),
        ('start = "S01"', 'start = "S04"', "bay"),
        ('next = ["S48"]', 'next = ["S01"]', "loop"),
        ('next = ["S21"]', 'next = ["S22"]', "loop"),
        ('next = ["S21"]', 'next = ["S99"]', "not there"),
        ('next = ["HA2"]', 'next = ["HA3"]', "not one lane"),
        ('next = ["S16"]\nx = 180', 'next = ["S17"]\nx = 180', "not one lane"),
        ('next = ["S16"]\nx = 180', "next = []\nx = 180", "leads nowhere"),
        ('fork = "S12"', 'fork = "S11"', "fork"),
        ('merge = "S32"', 'merge = "S33"', "merge"),
        ('beside = ["S30", "S31"]', 'beside = ["S30"]', "merge"),
        ('beside = ["S30", "S31"]', 'beside = ["S31", "S30"]', "beside"),
        ('beside = ["S30", "S31"]', "beside = []", "begin at its fork"),
        ('goals = ["G1", "G2"]', 'goals = ["G1"]', "goal space in no lane"),
        ('goals = ["G1", "G2"]', 'goals = ["G2", "G1"]', "two goals"),
        ('goals = ["G1", "G2"]', "goals = []", "goal space in no lane"),
        ('fork = "S44"', 'fork = "S43"', "harbour does not begin"),
        ('fork = "S44"', 'fork = "S99"', "harbour: S99 is no blue space"),
        ('fork = "S12"', 'fork = "S99"', "HA: S99 is no blue space"),
        ('zone = "bay"\nx = 880', "x = 880", "the bay"),
        ("format = 1", "format = true", "Expected `int`, got `bool`"),
        ("x = 1433", 'x = "1433"', "Expected `int`, got `str`"),
        ('next = ["S48"]', "next = 48", "Expected `array`, got `int`"),
        ("ring = true", "wring = true", "unknown field `wring`"),
        ("turn_limit_per_boat = 100", "turn_limit_per_boat = 0", "turn_limit_per_boat"),
        ('id = "G1"\nkind = "goal"', 'id = "G1"\nkind = "hideout"', "in no lane"),
        ('id = "S01"\nkind = "blue"', 'id = "S01"\nkind = "red"', "kind"),
        ('next = ["S11"]\nring = true', 'next = ["S11"]', "life rings"),
        ('space = "S34"', 'space = "S06"', "pirate pictures"),
        ('space = "S34"', 'space = "HB1"', "blue space"),
        ('id = "S02"', 'id = "S03"', "same id"),
        ("x = 1433", "x = 2433", "canvas"),
        ("turn_limit_per_boat = 100", "", "turn_limit_per_boat"),
        ('next = ["S24"]', 'next = ["S24", "S26"]', "fork"),
        ("format = 1", "format = ", "Invalid value"),
    ],
)
def test_a_board_that_breaks_section_3_is_refused(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=problem):
        board.read(TEXT.replace(old, new))
