"""What each event makes of a state (SPEC 6 and 8.4)."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from services.rules.games.seeschlacht import event as e
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.model import NOWHERE, NUMBER, OPEN, Phase, Result, State, Wind
from services.rules.values import replace

T = TypeVar("T")


def evolve(state: State, event: e.Event) -> State:
    """The state after the event."""
    fold = _FOLDS.get(type(event))
    return fold(state, event) if fold else state


def _put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _wind_set(state: State, event: e.WindSet) -> State:
    return replace(state, wind=Wind(event.strength, event.from_direction))


def _facing_set(state: State, event: e.FacingSet) -> State:
    return replace(state, facings=_put(state.facings, NUMBER[event.ship], event.direction))


def _fleet_ready(state: State, event: e.FleetReady) -> State:
    return replace(state, seat=1 - event.seat)


def _turn_started(state: State, event: e.TurnStarted) -> State:
    return replace(state, turn=event.turn, seat=event.seat, moved=(), loaded=(), repaired=(), shelled=(), fired=())


def _phase_started(state: State, event: e.PhaseStarted) -> State:
    return replace(state, phase=event.phase)


def _ship_moved(state: State, event: e.ShipMoved) -> State:
    ship, board = NUMBER[event.ship], load_board()
    return replace(
        state,
        places=_put(state.places, ship, board.number[event.to_field.q, event.to_field.r]),
        facings=_put(state.facings, ship, event.direction),
        moved=(*state.moved, ship),
    )


def _ships_rammed(state: State, event: e.ShipsRammed) -> State:
    ship = NUMBER[event.ship]
    return state if ship in state.moved else replace(state, moved=(*state.moved, ship))


def _ship_hit(state: State, event: e.ShipHit) -> State:
    return replace(state, hits=_put(state.hits, NUMBER[event.ship], event.hits))


def _ship_sunk(state: State, event: e.ShipSunk) -> State:
    ship = NUMBER[event.ship]
    return replace(
        state,
        places=_put(state.places, ship, NOWHERE),
        facings=_put(state.facings, ship, OPEN),
        cargo=_put(state.cargo, ship, value=False),
    )


def _merchant_arrived(state: State, event: e.MerchantArrived) -> State:
    return replace(state, arrivals=(*state.arrivals, NUMBER[event.ship]))


def _cargo_loaded(state: State, event: e.CargoLoaded) -> State:
    ship = NUMBER[event.ship]
    return replace(state, cargo=_put(state.cargo, ship, value=True), loaded=(*state.loaded, ship))


def _ship_repaired(state: State, event: e.ShipRepaired) -> State:
    ship = NUMBER[event.ship]
    return replace(state, hits=_put(state.hits, ship, event.hits), repaired=(*state.repaired, ship))


def _battery_fired(state: State, event: e.BatteryFired) -> State:
    return replace(state, shelled=(*state.shelled, NUMBER[event.target]))


def _shot_fired(state: State, event: e.ShotFired) -> State:
    return replace(state, fired=(*state.fired, NUMBER[event.ship]))


def _game_ended(state: State, event: e.GameEnded) -> State:
    return replace(state, phase=Phase.OVER, result=Result(event.winner, event.reason, event.points))


# Events that are not here only tell what others change.
_FOLDS: Mapping[type, Callable[[State, Any], State]] = {
    e.WindSet: _wind_set,
    e.FacingSet: _facing_set,
    e.FleetReady: _fleet_ready,
    e.TurnStarted: _turn_started,
    e.PhaseStarted: _phase_started,
    e.ShipMoved: _ship_moved,
    e.ShipsRammed: _ships_rammed,
    e.ShipHit: _ship_hit,
    e.ShipSunk: _ship_sunk,
    e.MerchantArrived: _merchant_arrived,
    e.CargoLoaded: _cargo_loaded,
    e.ShipRepaired: _ship_repaired,
    e.BatteryFired: _battery_fired,
    e.ShotFired: _shot_fired,
    e.GameEnded: _game_ended,
}
