"""The shipped chart is what SPEC 4 says, and charts that cannot be played on are refused."""

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest

from services.rules.games.seeschlacht.board import distances, load_board, make_board
from services.rules.games.seeschlacht.chart import STEPS, Point, neighbours, number_chart
from services.rules.games.seeschlacht.description import DESCRIPTION
from services.rules.games.seeschlacht.model import FLEETS, NOWHERE, turned

FILE = (resources.files("services.rules.games.seeschlacht") / "data" / "board.json").read_bytes()


def mirror(point: Point) -> Point:
    return -point[0], point[0] + point[1]


def swap(name: str) -> str:
    """The name of the other side's thing."""
    pairs = {"white": "yellow", "yellow": "white", "W": "Y", "Y": "W"}
    for old, new in pairs.items():
        if name.startswith(old):
            return new + name.removeprefix(old)
    return name


def test_points() -> None:
    chart = load_board().chart
    harbour = {p for h in chart.harbours for p in h.points}
    assert (len(chart.water), len(chart.land), len(harbour)) == (579, 164, 106)
    assert len(set(chart.water) - harbour) == 473
    assert (chart.frame.q_min, chart.frame.q_max, chart.frame.y_min, chart.frame.y_max) == (-16, 16, -22, 22)


def test_harbours() -> None:
    found = {}
    for harbour in load_board().chart.harbours:
        plain, dotted = ([a.id for a in harbour.anchors if a.dot is has_dot] for has_dot in (False, True))
        found[harbour.id] = (len(harbour.points), plain, dotted)
    homes = {f"{side}H": [[f"{side}H{n}" for n in range(1, 8)], [f"{side}H{n}" for n in (8, 9, 10)]] for side in "WY"}
    assert found == {
        "white_home": (30, *homes["WH"]),
        "white_dest": (17, [], ["WD1", "WD2", "WD3", "WD4"]),
        "yellow_home": (30, *homes["YH"]),
        "yellow_dest": (17, [], ["YD1", "YD2", "YD3", "YD4"]),
        "neutral": (12, [], ["N1", "N2", "N3", "N4"]),
    }
    entrances = {e.id: set(e.points) for h in load_board().chart.harbours for e in h.entrances}
    assert entrances == {
        "white_home_north": {(-14, 13), (-13, 12)},
        "white_home_east": {(-10, 13), (-10, 14)},
        "white_dest_south": {(14, -14), (15, -14)},
        "white_dest_west": {(11, -15), (11, -14)},
        "yellow_home_north": {(13, -1), (14, -1)},
        "yellow_home_west": {(10, 3), (10, 4)},
        "yellow_dest_south": {(-15, 1), (-14, 0)},
        "yellow_dest_east": {(-11, -4), (-11, -3)},
        "neutral_west": {(-3, 4)},
        "neutral_east": {(3, 1)},
    }


def test_batteries() -> None:
    batteries = load_board().chart.batteries
    assert len(batteries) == 8
    assert all(len(b.fields) == 7 and b.id == b.entrance and b.id.startswith(b.harbour) for b in batteries)
    assert len({p for b in batteries for p in b.fields}) == 56


def test_the_mirror_exchanges_the_colours() -> None:
    chart = load_board().chart
    assert {mirror(p) for p in chart.water} == set(chart.water)
    assert {d: (7 - d) % 6 + 1 for d in range(1, 7)} == {int(k): v for k, v in chart.mirror_directions.items()}
    for d in range(1, 7):
        assert mirror(STEPS[d]) == STEPS[chart.mirror_directions[str(d)]]
    points = {h.id: set(h.points) for h in chart.harbours}
    anchors = {a.id: (a.at, a.dot) for h in chart.harbours for a in h.anchors}
    for h in chart.harbours:
        assert {mirror(p) for p in h.points} == points[swap(h.id)]
        mirrored = {(mirror(a.at), a.dot) for a in h.anchors}
        assert mirrored == {anchors[a.id] for other in chart.harbours if other.id == swap(h.id) for a in other.anchors}
    covered = {frozenset(b.fields) for b in chart.batteries}
    assert {frozenset(map(mirror, fields)) for fields in covered} == covered
    for white, yellow in zip(*(chart.start[s] for s in ("white", "yellow")), strict=True):
        assert (mirror(white.at), swap(white.ship)) == (yellow.at, yellow.ship)
        assert sorted(chart.mirror_directions[str(d)] for d in white.facings) == list(yellow.facings)
        assert chart.mirror_directions[str(white.default)] == yellow.default


def test_the_fleets_start_in_their_homes() -> None:
    """Warships on the plain anchor places, merchants on the dotted ones (SPEC 5)."""
    for seat, berths in load_board().chart.start.items():
        side = seat[0].upper()
        merchants, warships = ({f"{side}H{n}" for n in numbers} for numbers in (range(8, 11), range(1, 8)))
        assert {b.anchor for b in berths if b.ship[1] == "M"} == merchants
        assert {b.anchor for b in berths if b.ship[1] == "W"} == warships


def test_roses() -> None:
    roses = load_board().chart.roses
    assert roses == {"yellow": (0, 1, 2, 3), "blue": (0, 2, 3, 4), "red": (0, 3, 4, 5)}


def test_the_way_home_is_as_long_as_the_specification_says() -> None:
    """32 to 35 fields from a dotted home anchor to a destination anchor (R-SEE-02)."""
    board = load_board()
    for seat, fleet in enumerate(FLEETS):
        ways = {
            distances(board, fleet[0], [goal])[home] for goal in board.destination[seat] for home in board.home[seat]
        }
        assert (min(ways), max(ways)) == (32, 35)


def test_tables_agree_with_the_chart() -> None:
    board = load_board()
    for place, point in enumerate(board.fields):
        for d, there in enumerate(neighbours(point), 1):
            assert board.ahead[place][d] == board.number.get(there, NOWHERE)
            back = board.ahead[place][d]
            assert back == NOWHERE or board.ahead[back][turned(d, 3)] == place
    for axes in board.arcs:
        assert all(sum(s.line == line for s in arc.values()) <= 2 * (line + 1) for arc in axes for line in (1, 2, 3))
    open_sea = board.arcs[board.number[0, -5]]
    assert any(len(arc) == 18 for axes in board.arcs for arc in axes)
    assert all(len(arc) <= 18 for arc in open_sea)


def _drop_water(board: Any) -> None:
    board["water"].remove([0, -5])


def _close_home(board: Any) -> None:
    board["harbours"][0]["entrances"].pop()


def _move_ship(board: Any) -> None:
    board["start"]["white"][0]["at"] = [0, -5]


def _turn_ship(board: Any) -> None:
    board["start"]["white"][3]["facings"] = [1, 2, 3]


def _sink_battery(board: Any) -> None:
    board["batteries"][0]["at"] = [0, -5]


def _cover_twice(board: Any) -> None:
    board["batteries"][1]["fields"] = board["batteries"][0]["fields"]


def _anchor_at_sea(board: Any) -> None:
    board["harbours"][4]["anchors"][0]["at"] = [0, -5]


def _widen(board: Any) -> None:
    board["frame"]["q_max"] = 40


def _overblow(board: Any) -> None:
    board["roses"]["red"] = [0, 3, 4, 50]


def _lift_disc(board: Any) -> None:
    board["wind_disc"]["at"] = [0, -5]


def _rename(board: Any) -> None:
    board["harbours"][1]["id"] = "atlantis"


def _forget(board: Any) -> None:
    del board["start"]


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_drop_water, "water and land together"),
        (_close_home, "are not its entrances"),
        (_move_ship, "WM1 does not start on an anchor place"),
        (_turn_ship, "the facings of WW1"),
        (_sink_battery, "does not stand on land"),
        (_cover_twice, "a field of a battery stands twice"),
        (_anchor_at_sea, "an anchor place of neutral is outside it"),
        (_widen, "more than 36 columns"),
        (_overblow, "roses"),
        (_lift_disc, "wind disc"),
        (_rename, "the harbours"),
        (_forget, "cannot be read: .*start"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_chart_that_cannot_be_played_on_is_refused(spoil: Callable[[Any], None], problem: str) -> None:
    board = json.loads(FILE)
    spoil(board)
    with pytest.raises(ValueError, match=problem):
        make_board(json.dumps(board).encode())


def test_each_chart_has_a_rules_version_of_its_own() -> None:
    """A match must not go on by another chart than its own: its state has fields by their numbers."""
    assert DESCRIPTION.rules_version == "1.0.0"
    others = {number_chart(FILE.replace(b'"version": 1', version)) for version in (b'"version": 2', b'"version": 3')}
    assert len(others | {number_chart(FILE)}) == 3
    assert number_chart(FILE) == 0
    assert min(others) > 0


def test_another_chart_is_accepted() -> None:
    """An operator's chart may differ: here one field of open sea is land, and the strong wind is weaker."""
    board = json.loads(FILE)
    board["water"].remove([0, -5])
    board["land"].append([0, -5])
    board["roses"]["red"] = [0, 2, 4, 4]
    made = make_board(json.dumps(board).encode())
    assert len(made.fields) == 578
    assert (0, -5) not in made.number
