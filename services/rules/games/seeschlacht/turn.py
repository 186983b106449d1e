"""The phases of a turn: what is open in each, and what comes after (SPEC 8 and 10)."""

from collections.abc import Callable, Iterable, Mapping

from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht import event as e
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.gunnery import list_shelled, list_shots
from services.rules.games.seeschlacht.harbour import list_loads, list_repairs
from services.rules.games.seeschlacht.model import FLEETS, OPEN, SHIPS, Phase, State
from services.rules.games.seeschlacht.movement import has_move, has_open_duty, list_fleet_moves
from services.rules.games.seeschlacht.record import Record
from services.rules.games.seeschlacht.scoring import end_at_cap, find_end

# Those that close a phase whatever else is open there: a seat has one try at the wind (R-SEE-08).
CLOSING = (
    a.KeepWind,
    a.ChangeWind,
    a.ChangeStrength,
    a.EndMovement,
    a.EndLoading,
    a.EndRepairs,
    a.EndBatteryFire,
    a.EndFiring,
)

_HAS_CHOICE: Mapping[Phase, Callable[[State], object]] = {
    Phase.MOVE: has_move,
    Phase.LOAD: list_loads,
    Phase.REPAIR: list_repairs,
    Phase.BATTERY: list_shelled,
    Phase.FIRE: list_shots,
}


def list_actions(state: State, seat: int) -> list[a.Action]:
    """The legal actions of the seat in canonical order (SPEC 10)."""
    if seat != state.seat or state.phase is Phase.OVER:
        return []
    return list(_LISTS[state.phase](state))


def _list_setup(state: State) -> Iterable[a.Action]:
    for ship in FLEETS[state.seat]:
        if state.facings[ship] == OPEN:
            yield from (a.SetFacing(SHIPS[ship], d) for d in load_board().berths[ship].facings)
    yield a.DefaultFacings()


def _list_wind(_: State) -> Iterable[a.Action]:
    return a.KeepWind(), a.ChangeWind(), a.ChangeStrength()


def _list_move(state: State) -> Iterable[a.Action]:
    moves: list[a.Action] = [*list_fleet_moves(state)]
    return moves if has_open_duty(state) else [*moves, a.EndMovement()]


def _list_load(state: State) -> Iterable[a.Action]:
    return [*(a.Load(SHIPS[ship]) for ship in list_loads(state)), a.EndLoading()]


def _list_repair(state: State) -> Iterable[a.Action]:
    return [*(a.Repair(SHIPS[ship]) for ship in list_repairs(state)), a.EndRepairs()]


def _list_battery(state: State) -> Iterable[a.Action]:
    return [*(a.FireBattery(SHIPS[target]) for target in list_shelled(state)), a.EndBatteryFire()]


def _list_fire(state: State) -> Iterable[a.Action]:
    return [*(a.Fire(SHIPS[ship], SHIPS[target]) for ship, target in list_shots(state)), a.EndFiring()]


_LISTS: Mapping[Phase, Callable[[State], Iterable[a.Action]]] = {
    Phase.SETUP: _list_setup,
    Phase.WIND: _list_wind,
    Phase.MOVE: _list_move,
    Phase.LOAD: _list_load,
    Phase.REPAIR: _list_repair,
    Phase.BATTERY: _list_battery,
    Phase.FIRE: _list_fire,
}


def go_on(record: Record, action: a.Action) -> None:
    """Adds what follows from the action's effects: the end, or the next phase that is entered (8.2)."""
    state = record.state
    if result := find_end(state):
        record.add(e.GameEnded(result.winner, result.reason, result.points))
    elif state.phase is Phase.SETUP:
        _line_up(record)
    elif isinstance(action, CLOSING) or not _HAS_CHOICE[state.phase](state):
        _leave_phase(record)


def _line_up(record: Record) -> None:
    state = record.state
    if any(state.facings[ship] == OPEN for ship in FLEETS[state.seat]):
        return
    record.add(e.FleetReady(state.seat))
    if all(record.state.facings):
        _start_turn(record, 1, state.settings.first_seat)


def _leave_phase(record: Record) -> None:
    state, phases = record.state, tuple(_HAS_CHOICE)
    later = phases[phases.index(state.phase) + 1 :] if state.phase in phases else phases
    for phase in later:
        if _HAS_CHOICE[phase](state):
            record.add(e.PhaseStarted(phase))
            return
    _end_turn(record)


def _end_turn(record: Record) -> None:
    state = record.state
    record.add(e.TurnEnded(state.turn, state.seat))
    if state.turn >= state.settings.turn_cap:
        result = end_at_cap(state)
        record.add(e.GameEnded(result.winner, result.reason, result.points))
    else:
        _start_turn(record, state.turn + 1, 1 - state.seat)


def _start_turn(record: Record, turn: int, seat: int) -> None:
    record.add(e.TurnStarted(turn, seat))
    record.add(e.PhaseStarted(Phase.WIND))
