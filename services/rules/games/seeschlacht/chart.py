"""The chart as the file board.json holds it, and what must be true of it (SPEC 4).

An operator may put another chart in its place; `read_chart` says what is wrong with one that cannot be played on.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from services.rules.games.seeschlacht.model import COLOURS, FLEETS, SEATS, SHIPS

Point = tuple[int, int]  # q, r

STEPS: tuple[Point, ...] = ((0, 0), (0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))  # by direction, 0 unused
HARBOURS = {
    "white_home": ("white", "home"),
    "white_dest": ("white", "destination"),
    "yellow_home": ("yellow", "home"),
    "yellow_dest": ("yellow", "destination"),
    "neutral": (None, "neutral"),
}
SHIPPED = "20a4a16852209fbcfd48c735e421c0426ea5abb2212f4f40e4aa90fa5aca650a"  # SHA-256 of this game's own chart
MOST_COLUMNS, MOST_ROWS = 36, 26  # what 80 columns and the letters A to Z of a drawing can name
LONGEST = 8  # fields in one move


@dataclass(frozen=True, slots=True)
class Frame:
    """The rim: q_min <= q <= q_max and y_min <= 2r + q <= y_max."""

    q_min: int
    q_max: int
    y_min: int
    y_max: int


@dataclass(frozen=True, slots=True)
class Disc:
    """The wind island."""

    at: Point
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Entrance:
    """The fields by which a harbour meets the open sea."""

    id: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor place; ships are repaired at those with a dot."""

    id: str
    at: Point
    dot: bool


@dataclass(frozen=True, slots=True)
class Harbour:
    """A harbour; its `points` include the entrances."""

    id: str
    owner: str | None
    kind: str
    points: tuple[Point, ...]
    entrances: tuple[Entrance, ...]
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class Battery:
    """A coastal battery and the sea fields it covers."""

    id: str
    harbour: str
    entrance: str
    at: Point
    fields: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Berth:
    """Where a ship starts, the facings allowed there and the usual one."""

    ship: str
    anchor: str
    at: Point
    facings: tuple[int, ...]
    default: int


@dataclass(frozen=True, slots=True)
class Chart:
    """The whole file."""

    name: str
    version: int
    frame: Frame
    directions: dict[str, Point]
    mirror_directions: dict[str, int]
    roses: dict[str, tuple[int, int, int, int]]
    wind_disc: Disc
    harbours: tuple[Harbour, ...]
    batteries: tuple[Battery, ...]
    start: dict[str, tuple[Berth, ...]]
    water: tuple[Point, ...]
    land: tuple[Point, ...]


def read_chart(data: bytes) -> Chart:
    """The chart. Raises ValueError with all that is wrong with it."""
    try:
        chart = msgspec.json.decode(data, type=Chart)
    except msgspec.MsgspecError as problem:
        raise ValueError(f"board.json cannot be read: {problem}") from None
    if problems := [*_check_frame(chart), *_check_harbours(chart), *_check_batteries(chart), *_check_start(chart)]:
        raise ValueError(f"board.json: {'; '.join(problems)}")
    return chart


def number_chart(data: bytes) -> int:
    """0 for the chart that comes with the game, for any other file a number from 1 to 2^32 of its own.

    It ends the rules version, so that a match goes on by the chart on which it began or not at all.
    """
    digest = hashlib.sha256(data)
    return 0 if digest.hexdigest() == SHIPPED else int.from_bytes(digest.digest()[:4], "big") + 1


def neighbours(point: Point) -> Iterable[Point]:
    """The six points around, by direction."""
    return [(point[0] + dq, point[1] + dr) for dq, dr in STEPS[1:]]


def _check_frame(chart: Chart) -> Iterable[str]:
    frame, water, land = chart.frame, set(chart.water), set(chart.land)
    inside = {
        (q, (y - q) // 2)
        for q in range(frame.q_min, frame.q_max + 1)
        for y in range(frame.y_min, frame.y_max + 1)
        if (y - q) % 2 == 0
    }
    if frame.q_max - frame.q_min >= MOST_COLUMNS or frame.y_max - frame.y_min >= 2 * MOST_ROWS:
        yield f"the frame is more than {MOST_COLUMNS} columns or {MOST_ROWS} rows"
    if len(water) + len(land) != len(chart.water) + len(chart.land) or water & land:
        yield "a point stands twice under water and land"
    if water | land != inside:
        yield f"water and land together are not the points of the frame: {sorted((water | land) ^ inside)[:5]}"
    if chart.directions != {str(d): STEPS[d] for d in range(1, 7)}:
        yield "the directions are not those of the rules"
    if chart.roses.keys() != set(COLOURS) or not all(0 <= n <= LONGEST for rose in chart.roses.values() for n in rose):
        yield f"the roses are not three with four values from 0 to {LONGEST}"
    if chart.wind_disc.at not in chart.wind_disc.points or not land.issuperset(chart.wind_disc.points):
        yield "the wind disc is not on land"


def _check_harbours(chart: Chart) -> Iterable[str]:
    if {h.id: (h.owner, h.kind) for h in chart.harbours} != HARBOURS or len(chart.harbours) != len(HARBOURS):
        yield f"the harbours, with owner and kind, are not {sorted(HARBOURS)}"
    points = [p for h in chart.harbours for p in h.points]
    yield from _twice("a point of a harbour", points)
    yield from _twice("the name of an anchor place", [a.id for h in chart.harbours for a in h.anchors])
    yield from _twice("an anchor place", [a.at for h in chart.harbours for a in h.anchors])
    sea = set(chart.water) - set(points)
    for harbour in chart.harbours:
        within = set(harbour.points)
        if not within.issubset(chart.water):
            yield f"{harbour.id} is not all water"
        if not {a.at for a in harbour.anchors} <= within:
            yield f"an anchor place of {harbour.id} is outside it"
        if not any(a.dot for a in harbour.anchors):
            yield f"{harbour.id} has no anchor place with a dot"
        if {p for p in within if not sea.isdisjoint(neighbours(p))} != {p for e in harbour.entrances for p in e.points}:
            yield f"the fields of {harbour.id} that touch the open sea are not its entrances"


def _check_batteries(chart: Chart) -> Iterable[str]:
    sea = set(chart.water) - {p for h in chart.harbours for p in h.points}
    coloured = {h.id: {e.id for e in h.entrances} for h in chart.harbours if h.owner}
    yield from _twice("the name of a battery", [b.id for b in chart.batteries])
    yield from _twice("a field of a battery", [p for b in chart.batteries for p in b.fields])
    for battery in chart.batteries:
        if battery.entrance not in coloured.get(battery.harbour, ()):
            yield f"{battery.id} is at no entrance of a coloured harbour"
        if not sea.issuperset(battery.fields):
            yield f"{battery.id} covers a field that is not open sea"
        if battery.at not in chart.land:
            yield f"{battery.id} does not stand on land"


def _check_start(chart: Chart) -> Iterable[str]:
    anchors = {(h.owner, a.id): a.at for h in chart.harbours if h.kind == "home" for a in h.anchors}
    for seat, fleet in zip(SEATS, FLEETS, strict=True):
        berths = chart.start.get(seat, ())
        if [b.ship for b in berths] != [SHIPS[ship] for ship in fleet]:
            yield f"start does not name the ten {seat} ships in fleet order"
        yield from _twice(f"the berth of a {seat} ship", [b.at for b in berths])
        for berth in berths:
            if anchors.get((seat, berth.anchor)) != berth.at:
                yield f"{berth.ship} does not start on an anchor place of its home"
            free = [d for d, point in enumerate(neighbours(berth.at), 1) if point in chart.water]
            if list(berth.facings) != free or berth.default not in free:
                yield f"the facings of {berth.ship} are not those with water ahead: {free}"


def _twice(what: str, values: Iterable[object]) -> Iterable[str]:
    if doubles := [value for value, count in Counter(values).items() if count > 1]:
        yield f"{what} stands twice: {doubles[:5]}"
