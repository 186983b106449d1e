"""Which actions are legal: the list in canonical order, and the first refusal that applies (SPEC, section 7)."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from services.rules.game import Illegal, Unreadable
from services.rules.games.piraten import board
from services.rules.games.piraten.fleet import fleet_of, free_neutral, movable, own_movable
from services.rules.games.piraten.fold import is_free_of_charge, payers
from services.rules.games.piraten.model import HOME, PRISON, Phase, State, Variant
from services.rules.games.piraten.moves import (
    Action,
    EndFreeing,
    FreeBoat,
    GiveProvision,
    HoldBoat,
    MoveBoat,
    MovePirate,
    Roll,
    SkipExchange,
    TakeProvision,
)

_PHASES: Mapping[type, Phase] = {
    Roll: Phase.ROLL,
    MoveBoat: Phase.MOVE,
    HoldBoat: Phase.MOVE,
    MovePirate: Phase.MOVE,
    GiveProvision: Phase.EXCHANGE,
    TakeProvision: Phase.EXCHANGE,
    SkipExchange: Phase.EXCHANGE,
    FreeBoat: Phase.FREE,
    EndFreeing: Phase.FREE,
}


def actors(state: State) -> tuple[int, ...]:
    """The mover; nobody before the start and once the match is over."""
    return () if state.phase is Phase.OVER or state.turn == 0 else (state.seat,)


def actions(state: State, seat: int) -> Iterator[Action]:
    """The legal actions of the seat in canonical order; exactly those that `decide` accepts."""
    if seat not in actors(state):
        return iter(())
    return _LISTS[state.phase](state)


def hideout_entries(place: str, path: tuple[str, ...]) -> int:
    """How often the path enters a hide-out from the main lane (R-PIR-37)."""
    hideouts = board.load().hideouts
    return sum(b in hideouts and a not in hideouts for a, b in pairwise((place, *path)))


def _rolls(_state: State) -> Iterator[Action]:
    yield Roll()


def _moves(state: State) -> Iterator[Action]:
    dice = sorted(set(state.dice_left))
    if not state.is_boat_done:
        yield from _boat_moves(state, dice)
    if not state.is_pirate_done:
        for at in range(len(state.pirates)):
            for points in dice:
                if not _is_blocked(state, at, points):
                    yield MovePirate(f"pirate{at + 1}", points)


def _boat_moves(state: State, dice: list[int]) -> Iterator[Action]:
    names, routes, distance = fleet_of(state).boats, board.load().routes, board.load().distance
    boats = [(names[i], state.boats[i]) for i in movable(state)]
    for boat, place in boats:
        for points in dice:
            for path in routes[place, points]:
                if _can_pay_hideouts(state, place, path):
                    yield MoveBoat(boat, points, path)
    for boat, place in boats:
        for points in dice:
            if points > distance[place]:
                yield HoldBoat(boat, points)


def _exchanges(state: State) -> Iterator[Action]:
    assert state.pending is not None
    partner = state.pending.partners[0]
    if state.provisions[state.seat]:
        yield GiveProvision(partner)
    if state.provisions[partner]:
        yield TakeProvision(partner)
    yield SkipExchange(partner)


def _freeings(state: State) -> Iterator[Action]:
    assert state.pending is not None
    for i, boat in enumerate(fleet_of(state).boats):
        if state.boats[i] == PRISON and not is_free_of_charge(state, state.pending.boat, i):
            for payer in payers(state, i):
                yield FreeBoat(boat, payer)
    yield EndFreeing()


_LISTS: Mapping[Phase, Callable[[State], Iterator[Action]]] = {
    Phase.ROLL: _rolls,
    Phase.MOVE: _moves,
    Phase.EXCHANGE: _exchanges,
    Phase.FREE: _freeings,
}


def _is_blocked(state: State, pirate: int, points: int) -> bool:
    if state.settings.variant is not Variant.BIG:
        return False
    course = board.load().courses[state.pirates[pirate], points]
    return any(space in course for i, space in enumerate(state.pirates) if i != pirate)  # R-PIR-36


def _can_pay_hideouts(state: State, place: str, path: tuple[str, ...]) -> bool:
    if state.settings.variant is not Variant.BIG:
        return True
    return state.provisions[state.seat] >= hideout_entries(place, path)


def check(state: State, seat: int, action: Action | Unreadable) -> None:
    """Raises Illegal with the first code that applies, in the order of section 7."""
    _refuse("GAME_OVER", state.phase is Phase.OVER)
    _refuse("NOT_YOUR_TURN", seat not in actors(state))
    if isinstance(action, Unreadable):
        raise Illegal(action.code)
    _refuse("WRONG_PHASE", _PHASES[type(action)] is not state.phase)
    if rules := _CHECKS.get(type(action)):
        rules(state, action)


def _refuse(code: str, applies: bool) -> None:
    if applies:
        raise Illegal(code)


def _check_boat(state: State, action: MoveBoat | HoldBoat) -> str:
    _refuse("BOAT_ALREADY_MOVED", state.is_boat_done)
    ships = fleet_of(state)
    _refuse("UNKNOWN_BOAT", action.boat not in ships.index)
    _refuse("DIE_NOT_AVAILABLE", action.points not in state.dice_left)
    boat = ships.index[action.boat]
    place = state.boats[boat]
    _refuse("BOAT_CAPTIVE", place == PRISON)
    _refuse("BOAT_HOME", place == HOME)
    if boat not in movable(state):
        raise Illegal(_why_not_movable(state, boat))
    return place


def _why_not_movable(state: State, boat: int) -> str:
    if fleet_of(state).owners[boat] == state.seat:
        return "SECOND_COLOUR_LOCKED"
    if own_movable(state, state.seat):
        return "OWN_BOAT_FIRST"
    return "NEUTRAL_BOAT_FIRST" if free_neutral(state) else "SECOND_COLOUR_LOCKED"


def _check_move(state: State, action: MoveBoat) -> None:
    place = _check_boat(state, action)
    _refuse("PATH_WRONG_LENGTH", len(action.path) != action.points)
    after = board.load().after
    steps = pairwise((place, *action.path))
    _refuse("PATH_NOT_CONNECTED", not all(b in after.get(a, ()) for a, b in steps))
    _refuse("NO_PROVISION_FOR_HIDEOUT", not _can_pay_hideouts(state, place, action.path))


def _check_hold(state: State, action: HoldBoat) -> None:
    place = _check_boat(state, action)
    _refuse("HOLD_NOT_ALLOWED", action.points <= board.load().distance[place])


def _check_pirate(state: State, action: MovePirate) -> None:
    _refuse("PIRATE_ALREADY_MOVED", state.is_pirate_done)
    names = [f"pirate{n}" for n in range(1, len(state.pirates) + 1)]
    _refuse("UNKNOWN_PIRATE", action.pirate not in names)
    _refuse("DIE_NOT_AVAILABLE", action.points not in state.dice_left)
    _refuse("PIRATE_BLOCKED", _is_blocked(state, names.index(action.pirate), action.points))


def _check_partner(state: State, partner: int) -> None:
    assert state.pending is not None
    _refuse("WRONG_PARTNER", partner != state.pending.partners[0])


def _check_give(state: State, action: GiveProvision) -> None:
    _check_partner(state, action.partner)
    _refuse("NO_PROVISION_TO_GIVE", not state.provisions[state.seat])


def _check_take(state: State, action: TakeProvision) -> None:
    _check_partner(state, action.partner)
    _refuse("PARTNER_HAS_NO_PROVISION", not state.provisions[action.partner])


def _check_skip(state: State, action: SkipExchange) -> None:
    _check_partner(state, action.partner)


def _check_free(state: State, action: FreeBoat) -> None:
    ships = fleet_of(state)
    _refuse("UNKNOWN_BOAT", action.boat not in ships.index)
    boat = ships.index[action.boat]
    _refuse("BOAT_NOT_CAPTIVE", state.boats[boat] != PRISON)
    _refuse("PAYER_NOT_INVOLVED", action.payer not in (state.seat, ships.owners[boat]))
    _refuse("PAYER_HAS_NO_PROVISION", action.payer not in payers(state, boat))


_CHECKS: Mapping[type, Callable[[State, Any], None]] = {
    MoveBoat: _check_move,
    HoldBoat: _check_hold,
    MovePirate: _check_pirate,
    GiveProvision: _check_give,
    TakeProvision: _check_take,
    SkipExchange: _check_skip,
    FreeBoat: _check_free,
}
