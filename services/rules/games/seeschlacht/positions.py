"""What is on the table: the whole state, and what follows from it (SPEC 6 and 10; nothing is hidden, R-SEE-37)."""

from dataclasses import dataclass

from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.event import Field
from services.rules.games.seeschlacht.model import NOWHERE, OPEN, SHIPS, Phase, Result, Settings, State, Wind, seat_of
from services.rules.games.seeschlacht.movement import has_duty
from services.rules.games.seeschlacht.scoring import score


@dataclass(frozen=True, slots=True)
class Ship:
    """A ship as it stands; `field` None once it sank, `direction` None then and while it is open."""

    id: str
    field: Field | None
    direction: int | None
    hits: int
    has_cargo: bool
    is_sunk: bool
    must_move: bool


@dataclass(frozen=True, slots=True)
class Position:
    """The view of everybody; lists hold ship ids in order of happening."""

    settings: Settings
    phase: Phase
    turn: int
    seat: int
    wind: Wind
    ships: tuple[Ship, ...]
    moved: tuple[str, ...]
    loaded: tuple[str, ...]
    repaired: tuple[str, ...]
    shelled: tuple[str, ...]
    fired: tuple[str, ...]
    arrivals: tuple[str, ...]
    to_act: tuple[int, ...]
    score: tuple[int, ...]
    result: Result | None


def position(state: State) -> Position:
    """What is on the table."""
    return Position(
        settings=state.settings,
        phase=state.phase,
        turn=state.turn,
        seat=state.seat,
        wind=state.wind,
        ships=tuple(_ship(state, ship) for ship in range(len(SHIPS))),
        moved=_names(state.moved),
        loaded=_names(state.loaded),
        repaired=_names(state.repaired),
        shelled=_names(state.shelled),
        fired=_names(state.fired),
        arrivals=_names(state.arrivals),
        to_act=() if state.phase is Phase.OVER else (state.seat,),
        score=score(state),
        result=state.result,
    )


def _names(ships: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(SHIPS[ship] for ship in ships)


def _ship(state: State, ship: int) -> Ship:
    place, facing = state.places[ship], state.facings[ship]
    return Ship(
        id=SHIPS[ship],
        field=None if place == NOWHERE else Field(*load_board().fields[place]),
        direction=None if facing == OPEN else facing,
        hits=state.hits[ship],
        has_cargo=state.cargo[ship],
        is_sunk=place == NOWHERE,
        must_move=state.phase is Phase.MOVE and seat_of(ship) == state.seat and has_duty(state, ship),
    )
