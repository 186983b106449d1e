"""Options checked and completed, and the set-up (SPEC, section 4)."""

from dataclasses import replace

from services.rules.game import Draws, Illegal, Unreadable
from services.rules.games.piraten import board
from services.rules.games.piraten.events import Event, GameStarted, SetupDieRolled, TurnStarted
from services.rules.games.piraten.fleet import fleet_of
from services.rules.games.piraten.model import (
    ISLAND,
    Colour,
    EmptyPirateSpace,
    Phase,
    Pirate,
    Settings,
    State,
    Variant,
)

BOATS_ALLOWED = {Variant.SMALL: (1,), Variant.EXPERIENCED: (2, 3), Variant.BIG: (3,)}
_CARDS_EACH = {2: 10, 3: 5, 4: 5}


def completed(settings: Settings, seats: int) -> Settings:
    """The settings with their defaults filled in. Raises Illegal with the first code that applies."""
    variant = settings.variant or Variant.SMALL
    if not 2 <= seats <= 4:
        raise Illegal("BAD_PLAYERS")
    boats = BOATS_ALLOWED[variant][0] if settings.boats_per_player is None else settings.boats_per_player
    if boats not in BOATS_ALLOWED[variant]:
        raise Illegal("BAD_BOATS_PER_PLAYER")
    empty = settings.empty_pirate_space
    if variant is Variant.BIG and empty is not None:
        raise Illegal("BAD_EMPTY_PIRATE_SPACE")
    if variant is not Variant.BIG:
        empty = empty or EmptyPirateSpace.RANDOM
    first = settings.first_seat or 0
    if not 0 <= first < seats:
        raise Illegal("BAD_FIRST_SEAT")
    return Settings(variant, boats, empty, first, _colours(variant, settings.colours, seats))


def _colours(variant: Variant, colours: tuple[Colour, ...], seats: int) -> tuple[Colour, ...]:
    needed = 4 if variant is Variant.BIG and seats == 2 else seats  # two colours each (R-PIR-32)
    colours = colours or tuple(Colour)[:needed]
    if len(colours) != needed or len(set(colours)) != needed:
        raise Illegal("BAD_COLOURS")
    return colours


def initial(settings: Settings | Unreadable, seats: int) -> State:
    """The state before the first event: no pirate ship yet, turn 0. Raises Illegal (section 4)."""
    if isinstance(settings, Unreadable):
        raise Illegal(settings.code)
    settings = completed(settings, seats)
    cards = _CARDS_EACH[seats] if settings.variant is Variant.BIG else 0
    state = State(
        settings=settings,
        seats=seats,
        phase=Phase.ROLL,
        turn=0,
        seat=settings.first_seat or 0,
        dice=(),
        dice_left=(),
        is_boat_done=False,
        is_pirate_done=False,
        boats=(),
        pirates=(),
        provisions=(cards,) * seats,
        removed=0,
    )
    return replace(state, boats=(ISLAND,) * len(fleet_of(state).boats))


def start(state: State, draws: Draws) -> tuple[Event, ...]:
    """The events of the set-up; one die is drawn where the empty pirate picture is left to chance (R-PIR-03)."""
    empty, events = state.settings.empty_pirate_space, list[Event]()
    if empty is EmptyPirateSpace.RANDOM:
        die = draws.below("die", 6) + 1
        empty = (EmptyPirateSpace.P1, EmptyPirateSpace.P2, EmptyPirateSpace.P3)[(die - 1) // 2]
        events.append(SetupDieRolled(die, empty))
    spaces = (space for picture, space in board.load().pirate_spaces.items() if picture != empty)
    pirates = tuple(Pirate(f"pirate{n}", space) for n, space in enumerate(spaces, 1))
    variant = state.settings.variant or Variant.SMALL
    started = GameStarted(variant, state.seats, fleet_of(state).boats, pirates, state.provisions)
    return (*events, started, TurnStarted(1, state.seat))
