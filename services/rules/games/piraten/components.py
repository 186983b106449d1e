"""The names of things in each language, read from data/components.json and checked."""

import functools
from collections.abc import Iterator, Mapping
from importlib import resources

import msgspec

from services.rules.games.piraten import board
from services.rules.games.piraten.model import HOME, ISLAND, PRISON, Colour

LANGUAGES = ("en", "de")
_BOATS = tuple(f"{colour}{n}" for colour in Colour for n in (1, 2, 3))
_PIRATES = ("pirate1", "pirate2", "pirate3")


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A thing or a kind of things with its name in each language, and how many or what faces there are."""

    id: str
    name: Mapping[str, str]
    count: int = 0
    faces: tuple[int, ...] = ()
    letter: str = ""  # by which drawings show a colour


class Components(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    format: int
    groups: tuple[Part, ...]
    colours: tuple[Part, ...]
    boats: tuple[str, ...]
    pirates: tuple[str, ...]
    places: tuple[Part, ...]
    kinds: tuple[Part, ...]
    hideouts: tuple[Part, ...]
    actions: tuple[Part, ...]  # their kinds, by field of the message

    def parts(self) -> Iterator[Part]:
        """All things that are named."""
        yield from (*self.groups, *self.colours, *self.places, *self.kinds, *self.hideouts)


@functools.cache
def names(language: str) -> Mapping[str, str]:
    """Boats, pirates, colours and places by id; spaces are called by their ids. English for unknown languages."""
    language = language if language in LANGUAGES else LANGUAGES[0]
    components = load()
    named = {part.id: part.name[language] for part in components.parts()}
    boats = {boat: f"{named[boat[:-1]]} {boat[-1]}" for boat in components.boats}
    pirates = {pirate: f"{named['pirate']} {pirate[-1]}" for pirate in components.pirates}
    return named | boats | pirates


@functools.cache
def letters() -> Mapping[str, str]:
    """The letter by which drawings show each colour's boats."""
    return {colour.id: colour.letter for colour in load().colours}


@functools.cache
def load() -> Components:
    """The components of the game. Raises ValueError with what is wrong in the file."""
    return read(resources.files(__package__).joinpath("data", "components.json").read_bytes())


def read(data: bytes) -> Components:
    """The components that a file like components.json names. Raises ValueError with all that is wrong."""
    try:
        components = msgspec.json.decode(data, type=Components)
    except msgspec.MsgspecError as problem:
        raise ValueError(f"components.json cannot be read: {problem}") from None
    if problems := list(_check(components)):
        raise ValueError(f"components.json: {'; '.join(problems)}")
    return components


def _check(components: Components) -> Iterator[str]:
    expected = {
        "groups": ({"boat", "pirate", "die", "provision"}, components.groups),
        "colours": (set(map(str, Colour)), components.colours),
        "places": ({ISLAND, PRISON, HOME}, components.places),
        "kinds": ({"blue", "hideout", "goal", "ring"}, components.kinds),
        "hideouts": ({lane.id for lane in board.load().lanes}, components.hideouts),
    }
    for group, (ids, parts) in expected.items():
        if sorted(part.id for part in parts) != sorted(ids):
            yield f"{group} are not {sorted(ids)}"
    if (components.format, components.boats, components.pirates) != (1, _BOATS, _PIRATES):
        yield "not format 1 with the twelve boats and three pirate ships in their order"
    letters_used = [colour.letter for colour in components.colours]
    if len(set(letters_used)) != len(letters_used) or {*map(len, letters_used)} != {1}:
        yield "each colour needs a letter of its own"
    for part in (*components.parts(), *components.actions):
        if not all(part.name.get(language) for language in LANGUAGES):
            yield f"{part.id} lacks a name in one of {', '.join(LANGUAGES)}"
