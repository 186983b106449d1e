"""The board: the chart and everything that follows from it, computed once when it is loaded."""

import functools
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from services.rules.games.seeschlacht.chart import STEPS, Berth, Chart, Point, read_chart
from services.rules.games.seeschlacht.model import FLEETS, NOWHERE, SEATS, SHIPS, is_merchant, seat_of, turned

Places = frozenset[int]

_CASES: tuple[tuple[int, int], ...] = tuple((line - b, b) for line in (1, 2, 3) for b in range(line + 1))


@dataclass(frozen=True, slots=True)
class Sight:
    """How a field of an arc lies: its line (1 to 3), whether land is in the way, and the fields that give cover."""

    line: int
    is_blocked: bool
    between: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """Tables by field number, by ship number, by seat, or by direction (0 unused) as named.

    Sets of fields that must be fast are masks: the bit 1 << field is set.
    """

    chart: Chart
    fields: tuple[Point, ...]
    number: Mapping[Point, int]
    ahead: tuple[tuple[int, ...], ...]  # by field and direction: the next water field, else NOWHERE
    passable: tuple[tuple[tuple[int, ...], ...], ...]  # by ship: `ahead` without what it may not enter
    reach: tuple[tuple[int, ...], ...]  # by steps and field: mask of all that such a move from it can touch
    harbour: tuple[str, ...]  # by field: id of its harbour, "" at sea
    friendly: tuple[frozenset[str], ...]  # by ship: harbours in which it may make harbour moves (R-SEE-14)
    usable: tuple[Places, ...]  # by ship: anchor places where it may stop
    repair: tuple[Places, ...]  # by ship: anchor places where it can be repaired
    hostile: tuple[Places, ...]  # by ship: enemy anchor places
    home: tuple[Places, ...]  # by seat: dotted anchor places at home
    destination: tuple[Places, ...]  # by seat: anchor places there
    neutral: Places
    anchor: Mapping[int, str]  # by field: the anchor place on it
    batteries: tuple[Mapping[int, str], ...]  # by seat: field to the battery of the seat that covers it
    arcs: tuple[tuple[Mapping[int, Sight], ...], ...]  # by field and axis ((direction - 1) % 3)
    arc_masks: tuple[tuple[int, ...], ...]  # the fields of `arcs`
    berths: tuple[Berth, ...]  # by ship


@functools.cache
def load_board() -> Board:
    """The board of the data file. Raises ValueError with what is wrong with the file."""
    return make_board((resources.files(__package__) / "data" / "board.json").read_bytes())


def make_board(data: bytes) -> Board:
    """The board of a file like board.json, with all tables (about a quarter of a second)."""
    chart = read_chart(data)
    fields = chart.water
    number = {point: n for n, point in enumerate(fields)}
    ahead = tuple(
        tuple(number.get((q + dq, r + dr), NOWHERE) if d else NOWHERE for d, (dq, dr) in enumerate(STEPS))
        for q, r in fields
    )
    neutral = _places(number, (p for h in chart.harbours if h.kind == "neutral" for p in h.points))
    for_warships = tuple(tuple(NOWHERE if n in neutral else n for n in row) for row in ahead)
    harbour = {p: h.id for h in chart.harbours for p in h.points}
    longest = max(n for rose in chart.roses.values() for n in rose)
    arcs = tuple(tuple(_see(number, point, axis) for axis in range(3)) for point in fields)
    ships = range(len(SHIPS))
    board = Board(
        chart=chart,
        fields=fields,
        number=number,
        ahead=ahead,
        passable=tuple(ahead if is_merchant(ship) else for_warships for ship in ships),
        reach=_reach(ahead, longest),
        harbour=tuple(harbour.get(point, "") for point in fields),
        friendly=tuple(frozenset(h.id for h in chart.harbours if _is_friendly(h.owner, ship)) for ship in ships),
        usable=_anchors(chart, number, is_enemy=False, only_dotted=False),
        repair=_anchors(chart, number, is_enemy=False, only_dotted=True),
        hostile=_anchors(chart, number, is_enemy=True, only_dotted=False),
        home=tuple(_kind(chart, number, seat, "home") for seat in SEATS),
        destination=tuple(_kind(chart, number, seat, "destination") for seat in SEATS),
        neutral=neutral,
        anchor={number[a.at]: a.id for h in chart.harbours for a in h.anchors},
        batteries=tuple(_batteries(chart, number, seat) for seat in SEATS),
        arcs=arcs,
        arc_masks=tuple(tuple(mask_of(arc) for arc in axes) for axes in arcs),
        berths=tuple(berth for seat in SEATS for berth in chart.start[seat]),
    )
    _check_ways(board)
    return board


def mask_of(places: Iterable[int]) -> int:
    """The mask with the bits of the places; NOWHERE has none."""
    mask = 0
    for place in places:
        if place != NOWHERE:
            mask |= 1 << place
    return mask


def distances(board: Board, ship: int, goals: Iterable[int]) -> tuple[int, ...]:
    """By field: the fewest steps ahead, turns not counted, that the ship needs from there to a goal; -1 for never."""
    steps = [-1] * len(board.fields)
    queue = deque(goals)
    for goal in queue:
        steps[goal] = 0
    while queue:
        here = queue.popleft()
        for there in board.passable[ship][here][1:]:
            if there != NOWHERE and steps[there] < 0:
                steps[there] = steps[here] + 1
                queue.append(there)
    return tuple(steps)


def _places(number: Mapping[Point, int], points: Iterable[Point]) -> Places:
    return frozenset(number[p] for p in points)


def _is_friendly(owner: str | None, ship: int) -> bool:
    return owner == SEATS[seat_of(ship)] or (owner is None and is_merchant(ship))


def _anchors(chart: Chart, number: Mapping[Point, int], *, is_enemy: bool, only_dotted: bool) -> tuple[Places, ...]:
    def wanted(owner: str | None, ship: int) -> bool:
        return owner == SEATS[1 - seat_of(ship)] if is_enemy else _is_friendly(owner, ship)

    return tuple(
        _places(
            number,
            (a.at for h in chart.harbours if wanted(h.owner, ship) for a in h.anchors if a.dot or not only_dotted),
        )
        for fleet in FLEETS
        for ship in fleet
    )


def _kind(chart: Chart, number: Mapping[Point, int], seat: str, kind: str) -> Places:
    harbours = [h for h in chart.harbours if h.owner == seat and h.kind == kind]
    return _places(number, (a.at for h in harbours for a in h.anchors if a.dot or kind == "destination"))


def _batteries(chart: Chart, number: Mapping[Point, int], seat: str) -> Mapping[int, str]:
    own = {h.id for h in chart.harbours if h.owner == seat}
    return {number[p]: b.id for b in chart.batteries if b.harbour in own for p in b.fields}


def _reach(ahead: tuple[tuple[int, ...], ...], longest: int) -> tuple[tuple[int, ...], ...]:
    """By steps, from 0 to `longest`; without a step a harbour move is left, so 0 is as 1."""
    masks = [tuple(1 << place | mask_of(row) for place, row in enumerate(ahead))]
    for _ in range(longest - 1):
        grown = list(masks[-1])
        for place, row in enumerate(ahead):
            for there in row:
                if there != NOWHERE:
                    grown[place] |= masks[-1][there]
        masks.append(tuple(grown))
    return (masks[0], *masks)


def _see(number: Mapping[Point, int], point: Point, axis: int) -> Mapping[int, Sight]:
    """The fields of both broadsides of a ship that faces direction `axis` + 1, or the opposite (R-SEE-28)."""
    sights: dict[int, Sight] = {}
    facing = axis + 1
    for first, second in ((1, 2), (-1, -2)):
        u, v = STEPS[turned(facing, first)], STEPS[turned(facing, second)]
        grid = {
            (a, b): number.get((point[0] + a * u[0] + b * v[0], point[1] + a * u[1] + b * v[1]), NOWHERE)
            for a, b in _CASES
        }
        for (a, b), place in grid.items():
            if place != NOWHERE:
                sights[place] = Sight(a + b, _is_blocked(grid, a, b), _between(grid, a, b))
    return sights


def _is_blocked(grid: Mapping[tuple[int, int], int], a: int, b: int) -> bool:
    """Whether land is in the way to (a, b): the table of SPEC 7.6 (R-SEE-31)."""
    if not a or not b:
        return NOWHERE in _between(grid, a, b)
    pairs = {
        (1, 1): (((1, 0), (0, 1)),),
        (2, 1): (((1, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (1, 1))),
        (1, 2): (((1, 0), (0, 1)), ((0, 1), (1, 1)), ((0, 2), (1, 1))),
    }[a, b]
    return any(grid[one] == grid[other] == NOWHERE for one, other in pairs)


def _between(grid: Mapping[tuple[int, int], int], a: int, b: int) -> tuple[int, ...]:
    """The points strictly between, on the straight line; off the grid's lines there are none (R-SEE-30)."""
    if a and b:
        return ()
    return tuple(grid[(n, 0) if a else (0, n)] for n in range(1, a + b))


def _check_ways(board: Board) -> None:
    for seat, fleet in enumerate(FLEETS):
        steps = distances(board, fleet[0], board.destination[seat])
        if any(steps[place] < 0 for place in board.home[seat]):
            raise ValueError(f"board.json: no way by water from home to destination for {SEATS[seat]}")
