"""What comes of itself between two decisions: each task gives the next event, opens a decision or falls away.

SPEC, section 7. `settle` runs what needs no event, `follow` tells the event that is due.
"""

from collections.abc import Callable

from services.rules.games.ruhe import cards, grid
from services.rules.games.ruhe.events import (
    CardDrawn,
    CompassEarned,
    CompassReason,
    DepartureOpened,
    Event,
    GameLost,
    GameWon,
    OffersFailed,
    RockRemoved,
    RowCompleted,
    SplitSettled,
    StormDrawn,
    StormTookEffect,
    StormWithoutEffect,
    TurnStarted,
)
from services.rules.games.ruhe.legal import is_stuck
from services.rules.games.ruhe.model import (
    COLOURS,
    HAND_UNDER_YELLOW,
    MOST_COMPASSES,
    TOGETHER,
    WIDTH,
    Colour,
    Departure,
    EndReason,
    Kind,
    Method,
    Pending,
    State,
    Step,
    Task,
)
from services.rules.values import replace

Outcome = Event | State | None  # an event is due, the state goes on without one, or the action's next event is awaited


def settle(state: State) -> State:
    """The state with a decision open, an event due, or over."""
    while state.tasks and state.pending is None:
        after = _STEPS[state.tasks[0].step](state, state.tasks[0])
        if not isinstance(after, State):
            break
        state = after
    return state


def follow(state: State) -> Event | None:
    """The event due in a settled state; None where a decision, or the next event of an action, is awaited."""
    if not state.tasks or state.pending is not None:
        return None
    due = _STEPS[state.tasks[0].step](state, state.tasks[0])
    return None if isinstance(due, State) else due


def drop(state: State) -> State:
    """The state without its first task."""
    return replace(state, tasks=state.tasks[1:])


def push(state: State, *tasks: Task) -> State:
    """The state with the tasks before all others."""
    return replace(state, tasks=tasks + state.tasks)


def opened(required: int, state: State) -> Departure:
    """The departure as its talk opens: caps and blind rights stay so until it is over (SPEC, 7.3)."""
    blind = blind_rights(state)
    return Departure(required, caps(state, blind), blind, round=1, offers=(None,) * state.seats)


def blind_rights(state: State) -> tuple[int, ...]:
    """How many cards each seat may let come unseen: up to 2 under a yellow storm (R-RUH-30)."""
    yellow = (grid.holds(state, seat, Colour.YELLOW) for seat in range(state.seats))
    return tuple(min(2, len(pile)) if held else 0 for held, pile in zip(yellow, state.piles, strict=True))


def caps(state: State, blind: tuple[int, ...]) -> tuple[int, ...]:
    """How many cards each seat could give."""
    return tuple(len(grid.discardable(state, seat)) + blind[seat] for seat in range(state.seats))


def adjusted(offers: tuple[int, ...], departure: Departure, active: int) -> tuple[int, ...]:
    """The offers of the last round, moved by one in turn until their sum is right (SPEC, 8.9)."""
    split, seats = list(offers), len(offers)
    seat = active
    while (missing := departure.required - sum(split)) != 0:
        if missing > 0 and split[seat] < departure.caps[seat]:
            split[seat] += 1
        elif missing < 0 and split[seat] > 0:
            split[seat] -= 1
        seat = (seat + 1) % seats
    return tuple(split)


def _payment(_state: State, _task: Task) -> Outcome:
    return None


def _row(state: State, task: Task) -> Outcome:
    row = state.grid[task.number * WIDTH : task.number * WIDTH + WIDTH]
    return drop(state) if 0 in row else RowCompleted(task.number, row[-1] - row[0] == WIDTH - 1)


def _earn(state: State, reason: CompassReason, seat: int, row: int | None = None) -> Outcome:
    if not state.settings.storms or state.compasses_earned >= MOST_COMPASSES:
        return drop(state)
    return CompassEarned(reason, seat, row, state.compasses + 1)


def _compass_row(state: State, task: Task) -> Outcome:
    return _earn(state, CompassReason.ROW, task.seat, task.number)


def _compass_start(state: State, task: Task) -> Outcome:
    return _earn(state, CompassReason.START, task.seat)


def _empty_hand(state: State, task: Task) -> Outcome:
    return drop(state) if state.hands[task.seat] else _earn(state, CompassReason.EMPTY_HAND, task.seat)


def _rock_gone(state: State, _task: Task) -> Outcome:
    is_over = state.rock is not None and grid.full_rows(state.grid) >= 4
    return RockRemoved() if is_over else drop(state)


def _finishes(state: State, _task: Task) -> Outcome:
    if not grid.is_full(state.grid) or grid.has_finish_left(state):
        return drop(state)
    return GameLost(EndReason.NO_FINISH_LEFT, None)


def _rock(state: State, task: Task) -> Outcome:
    return drop(state) if state.rock is None else _open(state, Pending(Kind.ROCK, task.seat))


def _open(state: State, pending: Pending) -> State:
    return replace(state, tasks=state.tasks[1:], pending=pending)


def _refill(state: State, task: Task) -> Outcome:
    seat = task.seat
    if state.piles[seat] and len(state.hands[seat]) < grid.limit(state, seat):
        return _drawn(state, seat)
    return drop(state)


def _extra(state: State, task: Task) -> Outcome:
    return _drawn(state, task.seat) if task.number and state.piles[task.seat] else drop(state)


def _drawn(state: State, seat: int) -> Event:
    card = state.piles[seat][0]
    return StormDrawn(seat, card) if cards.is_storm(card) else CardDrawn(seat, card)


def _next(state: State, task: Task) -> Outcome:
    return TurnStarted(task.seat, state.turn + 1)


def _stuck(state: State, task: Task) -> Outcome:
    if is_stuck(state, task.seat):
        return GameLost(EndReason.NO_ACTION, task.seat)
    return _open(state, Pending(Kind.TURN, task.seat))


def _window(state: State, task: Task) -> Outcome:
    if state.compasses:
        return _open(state, Pending(Kind.STORM_WINDOW, task.seat, task.storm, tuple(range(state.seats))))
    return push(drop(state), Task(Step.RESOLVE, task.seat, storm=task.storm))


def _resolve(state: State, task: Task) -> Outcome:
    colour = COLOURS[task.storm[0]]
    if colour is not Colour.VIOLET:
        return StormTookEffect(task.storm, colour, task.seat, None)
    if grid.is_full(state.grid):
        return StormWithoutEffect(task.storm)
    return _open(state, Pending(Kind.STORM_ROW, task.seat, task.storm))


def _cut(state: State, task: Task) -> Outcome:
    over = len(state.hands[task.seat]) - HAND_UNDER_YELLOW
    count = min(over, len(grid.discardable(state, task.seat)))
    if count <= 0:
        return drop(state)
    return _open(state, Pending(Kind.STORM_DISCARD, task.seat, task.storm, count=count))


def _depart(state: State, _task: Task) -> Outcome:
    return DepartureOpened(min(TOGETHER, sum(caps(state, blind_rights(state)))))


def _talk(state: State, _task: Task) -> Outcome:
    departure = _departure(state)
    if state.seats == 1:
        return SplitSettled((departure.required,), Method.FORCED)
    if departure.required == sum(departure.caps):
        return SplitSettled(departure.caps, Method.FORCED)
    return _open(state, Pending(Kind.OFFER))


def _departure(state: State) -> Departure:
    if state.departure is None:
        raise ValueError("no departure is open")
    return state.departure


def _count(state: State, _task: Task) -> Outcome:
    departure = _departure(state)
    offers = tuple(n or 0 for n in departure.offers)
    if sum(offers) == departure.required:
        return SplitSettled(offers, Method.AGREED)
    return OffersFailed(departure.round, sum(offers))


def _adjust(state: State, _task: Task) -> Outcome:
    departure = _departure(state)
    offers = tuple(n or 0 for n in departure.offers)
    return SplitSettled(adjusted(offers, departure, state.active), Method.ADJUSTED)


def _picks(state: State, _task: Task) -> Outcome:
    if _departure(state).waiting:
        return _open(state, Pending(Kind.PICK))
    return replace(state, tasks=state.tasks[1:], departure=None)


def _win(_state: State, task: Task) -> Outcome:
    return GameWon(EndReason.ARRIVED, task.seat)


_STEPS: dict[Step, Callable[[State, Task], Outcome]] = {
    Step.PAYMENT: _payment,
    Step.ROW: _row,
    Step.COMPASS_ROW: _compass_row,
    Step.COMPASS_START: _compass_start,
    Step.EMPTY_HAND: _empty_hand,
    Step.ROCK_GONE: _rock_gone,
    Step.FINISHES: _finishes,
    Step.ROCK: _rock,
    Step.REFILL: _refill,
    Step.EXTRA: _extra,
    Step.NEXT: _next,
    Step.STUCK: _stuck,
    Step.WINDOW: _window,
    Step.RESOLVE: _resolve,
    Step.CUT: _cut,
    Step.OPEN: _depart,
    Step.TALK: _talk,
    Step.COUNT: _count,
    Step.ADJUST: _adjust,
    Step.PICKS: _picks,
    Step.WIN: _win,
}
