"""The file board.toml as it is written: spaces, lanes, places; checked as far as one entry at a time can tell."""

from collections.abc import Iterator

import msgspec

PLACES = {"ISLAND", "PRISON", "HOME"}
KINDS = {"blue", "hideout", "goal"}


class Canvas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a drawing; clients use it."""

    width: int
    height: int


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place that is no space."""

    id: str
    x: int
    y: int


class Space(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A space; `next` are its successors, the main lane's first."""

    id: str
    kind: str
    next: tuple[str, ...]
    x: int
    y: int
    zone: str = ""
    ring: bool = False


class Hideout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side lane from `fork` to `merge`, beside some spaces of the main lane."""

    id: str
    name: str
    fork: str
    lane: tuple[str, ...]
    beside: tuple[str, ...]
    merge: str


class Harbour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The way home."""

    fork: str
    goals: tuple[str, ...]


class PirateSpace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A picture of a pirate ship beside a space."""

    id: str
    space: str


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    format: int
    name: str
    start: str
    turn_limit_per_boat: int
    canvas: Canvas
    place: tuple[Place, ...]
    hideout: tuple[Hideout, ...]
    harbour: Harbour
    pirate_space: tuple[PirateSpace, ...]
    space: tuple[Space, ...]


def read_layout(text: str) -> Layout:
    """The content of the file. Raises ValueError with all that is wrong with single entries."""
    try:
        layout = msgspec.toml.decode(text, type=Layout)
    except msgspec.MsgspecError as problem:
        raise ValueError(f"board.toml cannot be read: {problem}") from None
    if problems := [*_check_file(layout), *_check_spaces(layout), *_check_names(layout)]:
        raise ValueError(f"board.toml: {'; '.join(problems)}")
    return layout


def _check_file(layout: Layout) -> Iterator[str]:
    if layout.format != 1:
        yield "format is not 1"
    if layout.turn_limit_per_boat < 1:
        yield "turn_limit_per_boat is not a number of turns"
    if {p.id for p in layout.place} != PLACES or len(layout.place) != len(PLACES):
        yield "the places are not the three"
    drawn: tuple[Space | Place, ...] = (*layout.space, *layout.place)
    for one in drawn:
        if not (0 <= one.x <= layout.canvas.width and 0 <= one.y <= layout.canvas.height):
            yield f"{one.id} lies outside the canvas"


def _check_spaces(layout: Layout) -> Iterator[str]:
    known = {space.id for space in layout.space}
    if len(known) != len(layout.space):
        yield "two spaces have the same id"
    if known & PLACES:
        yield "a place is a space too"
    for space in layout.space:
        if space.kind not in KINDS:
            yield f"{space.id} has no known kind"
        if not len(set(space.next)) == len(space.next) <= 2:
            yield f"{space.id} has more than two successors"
        if not known >= set(space.next):
            yield f"{space.id} leads to a space that is not there"
        if not space.next and space.kind != "goal":
            yield f"{space.id} leads nowhere"


def _check_names(layout: Layout) -> Iterator[str]:
    """Spaces that other entries name, and whether they are of the right kind."""
    kinds = {space.id: space.kind for space in layout.space}
    blue = [("start", layout.start), ("harbour", layout.harbour.fork)]
    blue += [(picture.id, picture.space) for picture in layout.pirate_space]
    blue += [(side.id, name) for side in layout.hideout for name in (side.fork, *side.beside, side.merge)]
    lanes = [(side.id, name) for side in layout.hideout for name in side.lane]
    goals = [("harbour", name) for name in layout.harbour.goals]
    for kind, named in (("blue", blue), ("hideout", lanes), ("goal", goals)):
        yield from (f"{owner}: {name} is no {kind} space" for owner, name in named if kinds.get(name) != kind)
        if kind != "blue" and {name for _, name in named} != {name for name, found in kinds.items() if found == kind}:
            yield f"a {kind} space in no lane"
