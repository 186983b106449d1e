"""What an action causes, who may act, how it ends (SPEC, sections 6, 8 and 10)."""

from collections.abc import Callable, Mapping
from typing import Any

from services.rules.game import Draws, Status, Unreadable
from services.rules.games.piraten import board
from services.rules.games.piraten.events import (
    BoatCaptured,
    BoatFreed,
    BoatHeld,
    BoatMoved,
    BoatRescued,
    Cause,
    DiceRolled,
    Event,
    ExchangeSkipped,
    FreeingEnded,
    GameOver,
    PirateMoved,
    ProvisionPassed,
    ProvisionRemoved,
    Purpose,
    TurnEnded,
    TurnStarted,
)
from services.rules.games.piraten.fleet import fleet_of, is_free
from services.rules.games.piraten.fold import fold, is_free_of_charge
from services.rules.games.piraten.legality import actors, check, hideout_entries
from services.rules.games.piraten.model import HOME, PRISON, EndReason, Outcome, Phase, State, Variant
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

Events = tuple[Event, ...]


def status(state: State) -> Status:
    """The mover, or the end; all seats share one score (section 10)."""
    if state.outcome is None:
        return Status(actors(state), actors(state))
    score = 1.0 if state.outcome is Outcome.WON else 0.0
    return Status(scores=(score,) * state.seats, reason=str(state.reason))


def decide(state: State, seat: int, action: Action | Unreadable, draws: Draws) -> Events:
    """The events of the action. Raises Illegal with the code of section 7; only `Roll` draws, two dice."""
    check(state, seat, action)
    if isinstance(action, Roll):
        return (DiceRolled(seat, tuple(draws.below("die", 6) + 1 for _ in range(2))),)
    return _RESOLUTIONS[type(action)](state, action)


def _move_boat(state: State, action: MoveBoat) -> Events:
    """Section 8.3: the boat sails until its path ends or holds a pirate ship (R-PIR-17)."""
    place = state.boats[fleet_of(state).index[action.boat]]
    path = action.path
    caught = next((n for n, space in enumerate(path, 1) if space in state.pirates), 0)
    path = path[:caught] if caught else path
    events: Events = (BoatMoved(state.seat, action.boat, action.points, place, path[-1], path),)
    if state.settings.variant is Variant.BIG:
        events += (ProvisionRemoved(state.seat, Purpose.HIDEOUT),) * hideout_entries(place, path)
    if caught:
        captor = f"pirate{state.pirates.index(path[-1]) + 1}"
        events += (BoatCaptured(action.boat, captor, path[-1], Cause.BOAT_MOVE),)
    elif path[-1] in board.load().goals:
        events += (BoatRescued(action.boat, path[-1]),)
    after = fold(state, events)
    if over := _end_check(after):
        return (*events, over)
    if after.phase is Phase.EXCHANGE:
        return events
    landing = () if caught else _free_of_charge(after, action.boat, path[-1])
    return _then_turn(state, events + landing)


def _free_of_charge(state: State, boat: str, space: str | None) -> Events:
    """The captives that come free by themselves where the boat landed on a life ring (section 8.3, step 7)."""
    if space not in board.load().rings:
        return ()
    names = fleet_of(state).boats
    captives = (i for i, place in enumerate(state.boats) if place == PRISON)
    return tuple(BoatFreed(names[i], space, None) for i in captives if is_free_of_charge(state, boat, i))


def _move_pirate(state: State, action: MovePirate) -> Events:
    """Section 8.5: every boat on a space entered is caught (R-PIR-16)."""
    start = state.pirates[int(action.pirate.removeprefix("pirate")) - 1]
    path = board.load().courses[start, action.points]
    moved = PirateMoved(state.seat, action.pirate, action.points, start, path[-1], path)
    names = fleet_of(state).boats
    caught = tuple(
        BoatCaptured(names[i], action.pirate, space, Cause.PIRATE_MOVE)
        for space in path
        for i, place in enumerate(state.boats)
        if place == space
    )
    over = _end_check(fold(state, (moved, *caught)))
    return (moved, *caught, over) if over else _then_turn(state, (moved, *caught))


def _hold_boat(state: State, action: HoldBoat) -> Events:
    return _then_turn(state, (BoatHeld(state.seat, action.boat, action.points),))


def _give(state: State, action: GiveProvision) -> Events:
    return _answer(state, ProvisionPassed(state.seat, state.seat, action.partner))


def _take(state: State, action: TakeProvision) -> Events:
    return _answer(state, ProvisionPassed(state.seat, action.partner, state.seat))


def _skip(state: State, action: SkipExchange) -> Events:
    return _answer(state, ExchangeSkipped(state.seat, action.partner))


def _answer(state: State, answer: ProvisionPassed | ExchangeSkipped) -> Events:
    """Section 8.6; exchanges come before freeing (R-PIR-40)."""
    assert state.pending is not None
    after = fold(state, (answer,))
    if after.phase is Phase.EXCHANGE:
        return (answer,)
    return _then_turn(state, (answer, *_free_of_charge(after, state.pending.boat, state.pending.space)))


def _free_boat(state: State, action: FreeBoat) -> Events:
    assert state.pending is not None
    assert state.pending.space is not None
    paid = ProvisionRemoved(action.payer, Purpose.FREEING)
    return _then_turn(state, (paid, BoatFreed(action.boat, state.pending.space, action.payer)))


def _end_freeing(state: State, _action: EndFreeing) -> Events:
    return _then_turn(state, (FreeingEnded(state.seat),))


def _end_check(state: State) -> GameOver | None:
    """Section 10: over as soon as no boat is free (R-PIR-29, R-PIR-30)."""
    if any(map(is_free, state.boats)):
        return None
    is_won = all(place == HOME for place in state.boats)
    outcome, reason = (Outcome.WON, EndReason.ALL_HOME) if is_won else (Outcome.LOST, EndReason.CAPTIVES_LEFT)
    return _game_over(state, outcome, reason)


def _game_over(state: State, outcome: Outcome, reason: EndReason) -> GameOver:
    return GameOver(outcome, reason, state.turn, state.boats.count(HOME), state.boats.count(PRISON))


def _then_turn(state: State, events: Events) -> Events:
    """The events, and the end of the turn where both halves are finished with them (section 8.7)."""
    after = fold(state, events)
    if after.phase is not Phase.MOVE or not (after.is_boat_done and after.is_pirate_done):
        return events
    events = (*events, TurnEnded(state.turn, state.seat))
    if state.turn >= board.load().turn_limit_per_boat * len(state.boats):
        return (*events, _game_over(after, Outcome.LOST, EndReason.TURN_LIMIT))
    return (*events, TurnStarted(state.turn + 1, (state.seat + 1) % state.seats))


_RESOLUTIONS: Mapping[type, Callable[[State, Any], Events]] = {
    MoveBoat: _move_boat,
    HoldBoat: _hold_boat,
    MovePirate: _move_pirate,
    GiveProvision: _give,
    TakeProvision: _take,
    SkipExchange: _skip,
    FreeBoat: _free_boat,
    EndFreeing: _end_freeing,
}
