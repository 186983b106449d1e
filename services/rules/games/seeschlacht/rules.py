"""The start, and what every action does (SPEC 5 and 7)."""

from collections.abc import Callable, Mapping
from typing import Any

from services.rules.game import Draws, Illegal, Status, Unreadable
from services.rules.games.seeschlacht import action as a
from services.rules.games.seeschlacht import event as e
from services.rules.games.seeschlacht.board import load_board
from services.rules.games.seeschlacht.gunnery import check_shelling, check_shot, sight
from services.rules.games.seeschlacht.harbour import check_load, check_repair
from services.rules.games.seeschlacht.model import (
    COLOURS,
    FLEETS,
    LIMITS,
    NOWHERE,
    NUMBER,
    OPEN,
    SEATS,
    SHIPS,
    Colour,
    Edition,
    Phase,
    Settings,
    State,
    Wind,
    is_merchant,
    seat_of,
)
from services.rules.games.seeschlacht.movement import Spot, check_path, has_open_duty, take_step
from services.rules.games.seeschlacht.record import Record
from services.rules.games.seeschlacht.scoring import points_of
from services.rules.games.seeschlacht.turn import go_on

MOST_TURNS = 2**31 - 1  # what the message's turn_cap can say


def initial(settings: Settings | Unreadable, seats: int) -> State:
    """The fleets on their anchor places, before the first wind. Raises Illegal BAD_OPTIONS (SPEC 3)."""
    if isinstance(settings, Unreadable):
        raise Illegal(settings.code)
    if seats != len(SEATS) or settings.first_seat not in range(len(SEATS)) or not 1 <= settings.turn_cap <= MOST_TURNS:
        raise Illegal("BAD_OPTIONS")
    board, ships = load_board(), range(len(SHIPS))
    is_short = settings.edition is Edition.SHORT
    return State(
        settings=settings,
        phase=Phase.SETUP,
        turn=0,
        seat=settings.first_seat,
        wind=Wind(Colour.YELLOW, 0),
        places=tuple(board.number[berth.at] for berth in board.berths),
        facings=(OPEN,) * len(SHIPS),
        hits=(0,) * len(SHIPS),
        cargo=tuple(is_short and is_merchant(ship) for ship in ships),
    )


def start(state: State, draws: Draws) -> tuple[e.Event, ...]:
    """The second seat rolls the first wind (R-SEE-05)."""
    settings, record = state.settings, Record(state, draws)
    record.add(e.GameStarted(settings.edition, settings.first_seat, settings.turn_cap))
    strength = record.roll_colour(e.Purpose.INITIAL_STRENGTH, seat=1 - state.seat)
    direction = record.roll_number(e.Purpose.INITIAL_DIRECTION, seat=1 - state.seat)
    record.add(e.WindSet(strength, direction, is_changed=True))
    return tuple(record.events)


def decide(state: State, seat: int, action: a.Action | Unreadable, draws: Draws) -> tuple[e.Event, ...]:
    """The events of an action. Raises Illegal with the first code that applies, in the order of SPEC 7.1."""
    if state.phase is Phase.OVER:
        raise Illegal("GAME_OVER")
    if isinstance(action, Unreadable):
        raise Illegal(action.code)
    if seat != state.seat:
        raise Illegal("NOT_YOUR_TURN")
    phase, resolve = _RESOLVE[type(action)]
    if state.phase is not phase:
        raise Illegal("WRONG_PHASE")
    record = Record(state, draws)
    resolve(record, action)
    go_on(record, action)
    return tuple(record.events)


def status(state: State) -> Status:
    """Who has to decide, or the scores: 1 for the winner, a half each for a draw."""
    if not state.result:
        return Status(turn=(state.seat,), may_act=(state.seat,))
    winner = state.result.winner
    scores = tuple(0.5 if winner is None else float(seat == winner) for seat in range(len(SEATS)))
    return Status(scores=scores, reason=state.result.reason.value)


def _own_ship(state: State, name: str) -> int:
    if name not in NUMBER:
        raise Illegal("UNKNOWN_SHIP")
    ship = NUMBER[name]
    if seat_of(ship) != state.seat:
        raise Illegal("NOT_YOUR_SHIP")
    if state.places[ship] == NOWHERE:
        raise Illegal("SHIP_SUNK")
    return ship


def _target(state: State, name: str) -> int:
    if name not in NUMBER:
        raise Illegal("UNKNOWN_TARGET")
    target = NUMBER[name]
    if seat_of(target) == state.seat:
        raise Illegal("TARGET_NOT_ENEMY")
    if state.places[target] == NOWHERE:
        raise Illegal("TARGET_SUNK")
    return target


def _set_facing(record: Record, action: a.SetFacing) -> None:
    ship = _own_ship(record.state, action.ship)
    if record.state.facings[ship] != OPEN:
        raise Illegal("ALREADY_PLACED")
    if action.direction not in load_board().berths[ship].facings:
        raise Illegal("FACING_NOT_ALLOWED")
    record.add(e.FacingSet(action.ship, action.direction))


def _default_facings(record: Record, _: a.DefaultFacings) -> None:
    for ship in FLEETS[record.state.seat]:
        if record.state.facings[ship] == OPEN:
            record.add(e.FacingSet(SHIPS[ship], load_board().berths[ship].default))


def _keep_wind(record: Record, _: a.KeepWind) -> None:
    record.add(e.WindKept(record.state.seat))


def _change_wind(record: Record, _: a.ChangeWind) -> None:
    record.add(e.WindChangeAnnounced(record.state.seat, e.What.DIRECTION_AND_STRENGTH))
    if record.roll_number(e.Purpose.PERMISSION) % 2:
        record.add(e.WindChangeFailed(record.state.seat))
        return
    strength = record.roll_colour(e.Purpose.STRENGTH)
    _set_wind(record, Wind(strength, record.roll_number(e.Purpose.DIRECTION)))


def _change_strength(record: Record, _: a.ChangeStrength) -> None:
    record.add(e.WindChangeAnnounced(record.state.seat, e.What.STRENGTH))
    strength = record.roll_colour(e.Purpose.STRENGTH)
    _set_wind(record, Wind(strength, record.state.wind.from_direction))


def _set_wind(record: Record, wind: Wind) -> None:
    record.add(e.WindSet(wind.strength, wind.from_direction, is_changed=wind != record.state.wind))


def _move_ship(record: Record, action: a.MoveShip) -> None:
    """Sails letter by letter; the damage of enemy anchor places is told after the part of the path sailed."""
    state = record.state
    ship = _own_ship(state, action.ship)
    check_path(state, ship, action.path)
    board, spot, sailed = load_board(), Spot(state.places[ship], state.facings[ship]), ""
    for letter in action.path.removesuffix("X"):
        spot = take_step(ship, spot, letter)
        sailed += letter
        if state.hits[ship] + spot.entered == LIMITS[ship]:
            break
    if sailed:
        here, there = board.fields[state.places[ship]], board.fields[spot.place]
        record.add(e.ShipMoved(action.ship, sailed, e.Field(*here), e.Field(*there), spot.facing))
    for _ in range(spot.entered):
        _hit(record, ship, e.HitCause.ENEMY_ANCHOR)
    if action.path.endswith("X") and record.state.places[ship] != NOWHERE:
        _ram(record, ship, board.ahead[spot.place][spot.facing])
    _arrive(record, ship)


def _ram(record: Record, ship: int, there: int) -> None:
    target = record.state.places.index(there)
    record.add(e.ShipsRammed(SHIPS[ship], SHIPS[target]))
    _hit(record, ship, e.HitCause.RAM)
    _hit(record, target, e.HitCause.RAM)


def _arrive(record: Record, ship: int) -> None:
    state = record.state
    is_new = state.settings.edition is Edition.SHORT and is_merchant(ship) and ship not in state.arrivals
    if is_new and state.places[ship] in load_board().destination[state.seat]:
        rank = len(state.arrivals) + 1
        record.add(e.MerchantArrived(SHIPS[ship], rank, points_of(rank)))


def _hit(record: Record, ship: int, cause: e.HitCause) -> None:
    hits = record.state.hits[ship] + 1
    record.add(e.ShipHit(SHIPS[ship], hits, cause))
    if hits == LIMITS[ship]:
        record.add(e.ShipSunk(SHIPS[ship], cause))


def _end_movement(record: Record, _: a.EndMovement) -> None:
    if has_open_duty(record.state):
        raise Illegal("SHIPS_MUST_MOVE")


def _load(record: Record, action: a.Load) -> None:
    check_load(record.state, _own_ship(record.state, action.ship))
    record.add(e.CargoLoaded(action.ship))


def _repair(record: Record, action: a.Repair) -> None:
    ship = _own_ship(record.state, action.ship)
    check_repair(record.state, ship)
    record.add(e.ShipRepaired(action.ship, record.state.hits[ship] - 1))


def _fire_battery(record: Record, action: a.FireBattery) -> None:
    target = _target(record.state, action.target)
    check_shelling(record.state, target)
    battery = load_board().batteries[record.state.seat][record.state.places[target]]
    record.add(e.BatteryFired(battery, action.target))
    _shoot(record, target, Colour.YELLOW, e.Purpose.BATTERY, e.HitCause.BATTERY)


def _fire(record: Record, action: a.Fire) -> None:
    ship = _own_ship(record.state, action.ship)
    target = _target(record.state, action.target)
    check_shot(record.state, ship, target)
    seen = sight(record.state, ship, target)
    assert seen, "a shot that was checked has its target in the arc"
    line = COLOURS[seen.line - 1]
    record.add(e.ShotFired(action.ship, action.target, line))
    _shoot(record, target, line, e.Purpose.SHOT, e.HitCause.SHOT)


def _shoot(record: Record, target: int, line: Colour, purpose: e.Purpose, cause: e.HitCause) -> None:
    if record.roll_colour(purpose) is line:
        _hit(record, target, cause)
    else:
        record.add(e.ShotMissed(SHIPS[target]))


def _do_nothing(_: Record, __: a.Action) -> None:
    """An End action has no effect of its own: the phase is over."""


_RESOLVE: Mapping[type, tuple[Phase, Callable[[Record, Any], None]]] = {
    a.SetFacing: (Phase.SETUP, _set_facing),
    a.DefaultFacings: (Phase.SETUP, _default_facings),
    a.KeepWind: (Phase.WIND, _keep_wind),
    a.ChangeWind: (Phase.WIND, _change_wind),
    a.ChangeStrength: (Phase.WIND, _change_strength),
    a.MoveShip: (Phase.MOVE, _move_ship),
    a.EndMovement: (Phase.MOVE, _end_movement),
    a.Load: (Phase.LOAD, _load),
    a.EndLoading: (Phase.LOAD, _do_nothing),
    a.Repair: (Phase.REPAIR, _repair),
    a.EndRepairs: (Phase.REPAIR, _do_nothing),
    a.FireBattery: (Phase.BATTERY, _fire_battery),
    a.EndBatteryFire: (Phase.BATTERY, _do_nothing),
    a.Fire: (Phase.FIRE, _fire),
    a.EndFiring: (Phase.FIRE, _do_nothing),
}
