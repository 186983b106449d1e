"""What is on the table: the Position (SPEC, section 5). Nothing is hidden (R-PIR-46)."""

from services.rules.games.piraten import board
from services.rules.games.piraten.fleet import fleet_of, movable
from services.rules.games.piraten.legality import actors
from services.rules.games.piraten.model import (
    CARDS,
    HOME,
    ISLAND,
    PRISON,
    Boat,
    Counts,
    Owner,
    Phase,
    Pirate,
    Position,
    SeatColours,
    State,
)


def position(state: State) -> Position:
    """The table as everybody sees it."""
    ships = fleet_of(state)
    is_boat_open = state.phase is Phase.MOVE and not state.is_boat_done
    return Position(
        settings=state.settings,
        players=state.seats,
        phase=state.phase,
        turn=state.turn,
        seat=state.seat,
        dice=state.dice,
        dice_left=state.dice_left,
        is_boat_done=state.is_boat_done,
        is_pirate_done=state.is_pirate_done,
        owners=tuple(Owner(colour, seat) for colour, seat in ships.colours.items()),
        seat_colours=tuple(map(SeatColours, ships.seat_colours)),
        boats=tuple(map(Boat, ships.boats, state.boats)),
        pirates=tuple(Pirate(f"pirate{n}", space) for n, space in enumerate(state.pirates, 1)),
        provisions=state.provisions,
        provisions_removed=state.removed,
        provisions_in_box=cards_in_box(state),
        pending=state.pending,
        outcome=state.outcome,
        reason=state.reason,
        actors=actors(state),
        counts=count(state),
        movable=tuple(ships.boats[i] for i in movable(state)) if is_boat_open else (),
    )


def cards_in_box(state: State) -> int:
    """The provision cards that never were in the game; with hands and removed ones always 20 in all."""
    return CARDS - state.removed - sum(state.provisions)


def count(state: State) -> Counts:
    """How many boats are where."""
    places = state.boats
    island, captive, home = places.count(ISLAND), places.count(PRISON), places.count(HOME)
    hideout = sum(place in board.load().hideouts for place in places)
    return Counts(island, captive, home, hideout, len(places) - island - captive - home - hideout)
