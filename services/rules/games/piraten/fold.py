"""What each event changes. After every event the state is as if nothing else followed."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from services.rules.games.piraten import board
from services.rules.games.piraten.events import (
    BoatCaptured,
    BoatFreed,
    BoatHeld,
    BoatMoved,
    BoatRescued,
    DiceRolled,
    Event,
    ExchangeSkipped,
    FreeingEnded,
    GameOver,
    GameStarted,
    PirateMoved,
    ProvisionPassed,
    ProvisionRemoved,
    SetupDieRolled,
    TurnEnded,
    TurnStarted,
)
from services.rules.games.piraten.fleet import fleet_of
from services.rules.games.piraten.model import HOME, PRISON, Pending, Phase, State, Variant
from services.rules.values import replace


def evolve(state: State, event: Event) -> State:
    """The state after the event."""
    return _FOLDS[type(event)](state, event)


def fold(state: State, events: Iterable[Event]) -> State:
    """The state after the events, in order."""
    for event in events:
        state = evolve(state, event)
    return state


def is_free_of_charge(state: State, moved: str, captive: int) -> bool:
    """Whether freeing the captive costs nothing when boat `moved` landed on a life ring (R-PIR-23, R-PIR-42)."""
    ships = fleet_of(state)
    if state.settings.variant is not Variant.BIG:
        return True
    return ships.owners[captive] in (None, state.seat) or ships.owners[ships.index[moved]] is None


def payers(state: State, captive: int) -> tuple[int, ...]:
    """Who can pay for the captive, the mover first (R-PIR-41)."""
    owner = fleet_of(state).owners[captive]
    involved = (state.seat,) if owner is None or owner == state.seat else (state.seat, owner)
    return tuple(seat for seat in involved if state.provisions[seat])


def _settle(state: State) -> State:
    """Passes over partners with whom there is nothing to decide (R-PIR-38), then over a freeing nobody can pay."""
    if state.pending is None:
        return state
    partners = state.pending.partners
    while partners and not state.provisions[state.seat] and not state.provisions[partners[0]]:
        partners = partners[1:]
    if partners:
        return replace(state, phase=Phase.EXCHANGE, pending=replace(state.pending, partners=partners))
    if _is_freeing_open(state, state.pending):
        return replace(state, phase=Phase.FREE, pending=replace(state.pending, partners=()))
    return replace(state, phase=Phase.MOVE, pending=None)


def _is_freeing_open(state: State, pending: Pending) -> bool:
    if pending.space is None:
        return False
    captives = (i for i, place in enumerate(state.boats) if place == PRISON)
    return any(payers(state, i) for i in captives if not is_free_of_charge(state, pending.boat, i))


def partners_met(state: State, boat: str, path: Iterable[str]) -> tuple[int, ...]:
    """The fellow players whose boats stand along the path, each once, in the order of R-PIR-38."""
    ships, met = fleet_of(state), list[int]()
    for space in path:
        here = {ships.owners[i] for i, place in enumerate(state.boats) if place == space and ships.boats[i] != boat}
        clockwise = ((state.seat + n) % state.seats for n in range(1, state.seats))
        met += [seat for seat in clockwise if seat in here and seat not in met]
    return tuple(met)


def _place(state: State, boat: str, place: str) -> tuple[str, ...]:
    at = fleet_of(state).index[boat]
    return (*state.boats[:at], place, *state.boats[at + 1 :])


def _use(dice: tuple[int, ...], points: int) -> tuple[int, ...]:
    at = dice.index(points)
    return dice[:at] + dice[at + 1 :]


def _add(cards: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return (*cards[:seat], cards[seat] + number, *cards[seat + 1 :])


def _keep(state: State, _event: SetupDieRolled | TurnEnded) -> State:
    return state


def _started(state: State, event: GameStarted) -> State:
    return replace(state, pirates=tuple(p.space for p in event.pirates), provisions=event.provisions)


def _turn_started(state: State, event: TurnStarted) -> State:
    return replace(
        state,
        phase=Phase.ROLL,
        turn=event.turn,
        seat=event.seat,
        dice=(),
        dice_left=(),
        is_boat_done=False,
        is_pirate_done=False,
    )


def _rolled(state: State, event: DiceRolled) -> State:
    return replace(state, phase=Phase.MOVE, dice=event.dice, dice_left=event.dice)


def _boat_moved(state: State, event: BoatMoved) -> State:
    is_landed = event.to_place in board.load().rings and event.to_place not in state.pirates
    partners = partners_met(state, event.boat, event.path)
    moved = replace(
        state,
        boats=_place(state, event.boat, event.to_place),
        dice_left=_use(state.dice_left, event.points),
        is_boat_done=True,
        pending=Pending(event.boat, event.to_place if is_landed else None, partners),
    )
    return _settle(moved)


def _boat_held(state: State, event: BoatHeld) -> State:
    return replace(state, dice_left=_use(state.dice_left, event.points), is_boat_done=True)


def _pirate_moved(state: State, event: PirateMoved) -> State:
    at = int(event.pirate.removeprefix("pirate")) - 1
    pirates = (*state.pirates[:at], event.to_space, *state.pirates[at + 1 :])
    return replace(state, pirates=pirates, dice_left=_use(state.dice_left, event.points), is_pirate_done=True)


def _captured(state: State, event: BoatCaptured) -> State:
    return _settle(replace(state, boats=_place(state, event.boat, PRISON)))


def _rescued(state: State, event: BoatRescued) -> State:
    return replace(state, boats=_place(state, event.boat, HOME))


def _freed(state: State, event: BoatFreed) -> State:
    return _settle(replace(state, boats=_place(state, event.boat, event.space)))


def _removed(state: State, event: ProvisionRemoved) -> State:
    cards = _add(state.provisions, event.seat, -1)
    return _settle(replace(state, provisions=cards, removed=state.removed + 1))


def _passed(state: State, event: ProvisionPassed) -> State:
    cards = _add(_add(state.provisions, event.from_seat, -1), event.to_seat, 1)
    return _answered(replace(state, provisions=cards))


def _skipped(state: State, _event: ExchangeSkipped) -> State:
    return _answered(state)


def _answered(state: State) -> State:
    assert state.pending is not None
    return _settle(replace(state, pending=replace(state.pending, partners=state.pending.partners[1:])))


def _freeing_ended(state: State, _event: FreeingEnded) -> State:
    return replace(state, phase=Phase.MOVE, pending=None)


def _over(state: State, event: GameOver) -> State:
    return replace(state, phase=Phase.OVER, pending=None, outcome=event.outcome, reason=event.reason)


_FOLDS: Mapping[type, Callable[[State, Any], State]] = {
    SetupDieRolled: _keep,
    GameStarted: _started,
    TurnStarted: _turn_started,
    TurnEnded: _keep,
    DiceRolled: _rolled,
    BoatMoved: _boat_moved,
    BoatHeld: _boat_held,
    PirateMoved: _pirate_moved,
    BoatCaptured: _captured,
    BoatRescued: _rescued,
    BoatFreed: _freed,
    ProvisionRemoved: _removed,
    ProvisionPassed: _passed,
    ExchangeSkipped: _skipped,
    FreeingEnded: _freeing_ended,
    GameOver: _over,
}
