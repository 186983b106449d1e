"""Whose boats are in play, and which of them a seat may move (SPEC, sections 4 and 8.1)."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from services.rules.games.piraten.model import HOME, PRISON, Colour, Settings, State, Variant

BOATS_OF_A_COLOUR = 3


@dataclass(frozen=True, slots=True)
class Fleet:
    """The boats of a match. Boats are counted in boat order; a seat of None is nobody's (neutral)."""

    boats: tuple[str, ...]
    owners: tuple[int | None, ...]  # the seat of each boat
    index: Mapping[str, int]
    colours: Mapping[Colour, int | None]  # in play, in colour order -> seat
    seat_colours: tuple[tuple[Colour, ...], ...]  # first colour first
    of_colour: Mapping[Colour, tuple[int, ...]]
    neutral: tuple[int, ...]


@functools.lru_cache(maxsize=256)
def fleet(settings: Settings, seats: int) -> Fleet:
    """The fleet of a match with these settings, which have their defaults filled in."""
    is_big = settings.variant is Variant.BIG
    seat_colours = tuple(settings.colours[i::seats] for i in range(seats))
    seat_of = {colour: seat for seat, colours in enumerate(seat_colours) for colour in colours}
    colours = {c: seat_of.get(c) for c in Colour if is_big or c in seat_of}
    numbers = range(1, (settings.boats_per_player or BOATS_OF_A_COLOUR) + 1)
    each = [(colour, f"{colour}{n}") for colour in colours for n in numbers]
    boats = tuple(name for _, name in each)
    return Fleet(
        boats=boats,
        owners=tuple(colours[colour] for colour, _ in each),
        index={name: i for i, name in enumerate(boats)},
        colours=colours,
        seat_colours=seat_colours,
        of_colour={c: tuple(i for i, (colour, _) in enumerate(each) if colour is c) for c in colours},
        neutral=tuple(i for i, (colour, _) in enumerate(each) if colours[colour] is None),
    )


def fleet_of(state: State) -> Fleet:
    """The fleet of the state's match."""
    return fleet(state.settings, state.seats)


def is_free(place: str) -> bool:
    """Whether a boat there is neither captive nor home; boats on Adventure Island are free (section 1)."""
    return place not in (PRISON, HOME)


def own_movable(state: State, seat: int) -> tuple[int, ...]:
    """The free boats of the first of the seat's colours that has one (R-PIR-35)."""
    ships = fleet_of(state)
    for colour in ships.seat_colours[seat]:
        if free := tuple(i for i in ships.of_colour[colour] if is_free(state.boats[i])):
            return free
    return ()


def movable(state: State) -> tuple[int, ...]:
    """The boats that the mover may move, in boat order: own, else neutral, else fellows' (R-PIR-19, -20, -34)."""
    if own := own_movable(state, state.seat):
        return own
    if neutral := free_neutral(state):
        return neutral
    return tuple(sorted(i for seat in range(state.seats) for i in own_movable(state, seat)))


def free_neutral(state: State) -> tuple[int, ...]:
    """The neutral boats that are free."""
    return tuple(i for i in fleet_of(state).neutral if is_free(state.boats[i]))
