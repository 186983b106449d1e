"""The state after an event (SPEC, sections 7 and 8): each event applies its own facts and queues what comes next."""

from collections.abc import Callable
from typing import Any, TypeVar

from services.rules.games.ruhe import cards, events
from services.rules.games.ruhe.events import DiscardReason, Event
from services.rules.games.ruhe.flow import drop, opened, push, settle
from services.rules.games.ruhe.model import (
    ROUNDS,
    WIDTH,
    ActiveStorm,
    Colour,
    Departure,
    Kind,
    LyingCard,
    Outcome,
    Pending,
    Result,
    State,
    Step,
    Task,
)
from services.rules.values import replace

T = TypeVar("T")


def evolve(state: State, event: Event) -> State:
    """The state after the event, with the next decision open where nothing else follows first."""
    return settle(_EVENTS[type(event)](state, event))


def turn_order(first: int, seats: int) -> tuple[int, ...]:
    """All seats, from the first."""
    return tuple((first + i) % seats for i in range(seats))


def _at(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _after_action(state: State, seat: int, *effects: Task, refills: tuple[int, ...] | None = None) -> tuple[Task, ...]:
    """The effects of a turn action, then 7.1 steps 4 to 7."""
    refilled = (seat,) if refills is None else refills
    return (
        *effects,
        Task(Step.FINISHES),
        Task(Step.ROCK, seat),
        *(Task(Step.REFILL, s) for s in refilled),
        Task(Step.NEXT, (seat + 1) % state.seats),
    )


def _game_started(state: State, event: events.GameStarted) -> State:
    seats, none = event.seats, ((),) * event.seats
    order = turn_order(event.start_seat, seats)
    return replace(
        state,
        active=event.start_seat,
        start_seat=event.start_seat,
        rock=event.rock,
        piles=tuple(pile.cards for pile in event.piles),
        removed=event.removed.cards if event.removed else (),
        hands=none,
        discards=none,
        unseen=none,
        fresh=(0,) * seats,
        kept=(0,) * seats,
        tasks=(*(Task(Step.REFILL, seat) for seat in order), Task(Step.NEXT, event.start_seat)),
    )


def _turn_started(state: State, event: events.TurnStarted) -> State:
    return replace(state, turn=event.turn, active=event.seat, tasks=(Task(Step.STUCK, event.seat),))


def _card_drawn(state: State, event: events.CardDrawn) -> State:
    seat, task = event.seat, state.tasks[0]
    tasks = state.tasks
    if task.step is Step.EXTRA:
        tasks = (replace(task, number=task.number - 1), *tasks[1:])
    pile = state.piles[seat]
    return replace(
        state,
        tasks=tasks,
        piles=_at(state.piles, seat, pile[1:]),
        hands=_at(state.hands, seat, cards.sort((*state.hands[seat], pile[0]))),
        fresh=_at(state.fresh, seat, state.fresh[seat] + 1) if state.turn else state.fresh,
    )


def _storm_drawn(state: State, event: events.StormDrawn) -> State:
    drawn = replace(state, piles=_at(state.piles, event.seat, state.piles[event.seat][1:]))
    return push(drawn, Task(Step.WINDOW, event.seat, storm=event.storm))


def _storm_passed(state: State, event: events.StormPassed) -> State:
    pending = _pending(state)
    waiting = tuple(seat for seat in pending.waiting if seat != event.seat)
    if waiting:
        return replace(state, pending=replace(pending, waiting=waiting))
    return _resolving(state)


def _resolving(state: State) -> State:
    pending = _pending(state)
    return push(replace(state, pending=None), Task(Step.RESOLVE, pending.seat, storm=pending.storm))


def _pending(state: State) -> Pending:
    if state.pending is None:
        raise ValueError("no decision is open")
    return state.pending


def _storm_took_effect(state: State, event: events.StormTookEffect) -> State:
    holder = None if event.colour is Colour.VIOLET else event.seat
    storm = ActiveStorm(event.storm, event.colour, holder, event.row)
    after = replace(state, pending=None) if state.pending else drop(state)
    after = replace(after, storms=(*state.storms, storm))
    if event.colour is not Colour.YELLOW:
        return after
    return push(after, Task(Step.CUT, event.seat, storm=event.storm))


def _storm_without_effect(state: State, event: events.StormWithoutEffect) -> State:
    return replace(drop(state), gone=(*state.gone, event.storm))


def _compass_earned(state: State, event: events.CompassEarned) -> State:
    return replace(drop(state), compasses=event.compasses, compasses_earned=state.compasses_earned + 1)


def _compass_used(state: State, event: events.CompassUsed) -> State:
    pending = _pending(state)
    after = replace(
        state,
        compasses=event.compasses,
        storms=tuple(s for s in state.storms if s.storm != event.storm),
        gone=(*state.gone, event.storm),
    )
    if pending.storm == event.storm:
        return replace(after, pending=None)
    if pending.kind is Kind.STORM_WINDOW and not after.compasses:
        return _resolving(after)
    if pending.kind is Kind.TURN:
        return push(replace(after, pending=None), Task(Step.STUCK, pending.seat))
    return after


def _card_placed(state: State, event: events.CardPlaced) -> State:
    seat, row = event.seat, event.cell // WIDTH
    pay = (Task(Step.PAYMENT),) if event.cost else ()
    effects = (*pay, Task(Step.ROW, seat, row), Task(Step.EMPTY_HAND, seat))
    return replace(
        _acted(state, seat, (event.card,)),
        grid=_at(state.grid, event.cell, cards.number(event.card)),
        tasks=_after_action(state, seat, *effects),
    )


def _acted(state: State, seat: int, played: tuple[str, ...]) -> State:
    """The turn action is taken: nothing is pending, and no start card is among what the hand keeps."""
    hands = _at(state.hands, seat, cards.without(state.hands[seat], played))
    return replace(state, pending=None, hands=hands, fresh=_at(state.fresh, seat, 0))


def _discarded(state: State, event: events.Discarded) -> State:
    seat, gone = event.seat, event.cards.cards if event.cards else ()
    after = replace(
        state,
        hands=_at(state.hands, seat, cards.without(state.hands[seat], gone)),
        discards=_at(state.discards, seat, state.discards[seat] + gone),
    )
    if event.reason in (DiscardReason.COST, DiscardReason.ROCK):
        return drop(after)
    if event.reason is DiscardReason.STORM:
        return push(replace(after, pending=None), Task(Step.FINISHES))
    if event.reason is DiscardReason.DEPARTURE:
        return _given(after, seat, event.count)
    effect = Task(Step.EMPTY_HAND, seat)
    return replace(after, pending=None, fresh=_at(state.fresh, seat, 0), tasks=_after_action(state, seat, effect))


def _given(state: State, seat: int, count: int) -> State:
    """A seat has given hand cards at the departure; what is missing comes unseen next."""
    departure = _departure(state)
    departure = replace(departure, given=_at(departure.given, seat, count))
    after = replace(state, departure=departure, pending=None)
    if count < departure.split[seat]:
        return push(after, Task(Step.PAYMENT))
    return _picked(after, seat)


def _departure(state: State) -> Departure:
    if state.departure is None:
        raise ValueError("no departure is open")
    return state.departure


def _picked(state: State, seat: int) -> State:
    departure = _departure(state)
    waiting = tuple(s for s in departure.waiting if s != seat)
    effect = (Task(Step.EMPTY_HAND, seat),) if departure.given[seat] else ()
    after = replace(state, pending=None, departure=replace(departure, waiting=waiting))
    return push(after, *effect, Task(Step.FINISHES), Task(Step.PICKS))


def _blind_discarded(state: State, event: events.BlindDiscarded) -> State:
    seat, discards = event.seat, state.discards[event.seat]
    pile = state.piles[seat]
    indices = tuple(range(len(discards), len(discards) + event.count))
    after = replace(
        state,
        piles=_at(state.piles, seat, pile[event.count :]),
        discards=_at(state.discards, seat, discards + pile[: event.count]),
        unseen=_at(state.unseen, seat, state.unseen[seat] + indices),
    )
    return _picked(drop(after) if _departure(state).given[seat] else after, seat)


def _row_completed(state: State, event: events.RowCompleted) -> State:
    compass = (Task(Step.COMPASS_ROW, state.tasks[0].seat, event.row),) if event.is_consecutive else ()
    return push(drop(state), *compass, Task(Step.ROCK_GONE))


def _monster_played(state: State, event: events.MonsterPlayed) -> State:
    return replace(
        _acted(state, event.seat, (event.card,)),
        grid=_at(state.grid, event.cell, 0),
        gone=(*state.gone, event.island, event.card),
        tasks=_after_action(state, event.seat, Task(Step.EMPTY_HAND, event.seat)),
    )


def _rock_moved(state: State, event: events.RockMoved) -> State:
    return push(replace(state, rock=event.row, pending=None), Task(Step.FINISHES))


def _rock_kept(state: State, event: events.RockKept) -> State:
    tasks = (Task(Step.PAYMENT), Task(Step.EMPTY_HAND, event.seat), Task(Step.FINISHES))
    return push(replace(state, pending=None), *tasks)


def _rock_removed(state: State, _event: events.RockRemoved) -> State:
    return replace(drop(state), rock=None)


def _start_played(state: State, event: events.StartPlayed) -> State:
    seat, seats = event.seat, state.seats
    order = turn_order(seat, seats)
    extra = {1: 8, 2: 2}.get(seats, 0)
    effects = (
        Task(Step.COMPASS_START, seat),
        Task(Step.EMPTY_HAND, seat),
        *(Task(Step.EXTRA, s, extra) for s in order if extra),
        Task(Step.OPEN, seat),
    )
    return replace(
        _acted(state, seat, (event.card,)),
        start=LyingCard(seat, event.card),
        kept=tuple(map(len, state.discards)),
        tasks=_after_action(state, seat, *effects, refills=order),
    )


def _finish_played(state: State, event: events.FinishPlayed) -> State:
    after = _acted(state, event.seat, (event.card,))
    return replace(after, finish=LyingCard(event.seat, event.card), tasks=(Task(Step.WIN, event.seat),))


def _departure_opened(state: State, event: events.DepartureOpened) -> State:
    return push(replace(drop(state), departure=opened(event.required, state)), Task(Step.TALK))


def _offer_made(state: State, event: events.OfferMade) -> State:
    departure = _departure(state)
    after = replace(state, departure=replace(departure, offers=_at(departure.offers, event.seat, event.n)))
    if None in _departure(after).offers:
        return after
    return push(replace(after, pending=None), Task(Step.COUNT))


def _offers_failed(state: State, event: events.OffersFailed) -> State:
    if event.round == ROUNDS:
        return push(drop(state), Task(Step.ADJUST))
    old = _departure(state)
    said = tuple(n or 0 for n in old.offers)
    departure = replace(old, round=event.round + 1, offers=(None,) * state.seats, previous=said)
    return replace(drop(state), departure=departure, pending=Pending(Kind.OFFER))


def _split_settled(state: State, event: events.SplitSettled) -> State:
    waiting = tuple(seat for seat, n in enumerate(event.split) if n)
    departure = replace(_departure(state), split=event.split, how=event.how, waiting=waiting, given=(0,) * state.seats)
    return push(replace(drop(state), departure=departure), Task(Step.PICKS))


def _game_won(state: State, event: events.GameWon) -> State:
    return replace(state, tasks=(), result=Result(Outcome.WON, event.reason, event.seat))


def _game_lost(state: State, event: events.GameLost) -> State:
    return replace(state, tasks=(), departure=None, result=Result(Outcome.LOST, event.reason, event.seat))


_EVENTS: dict[type, Callable[[State, Any], State]] = {
    events.GameStarted: _game_started,
    events.TurnStarted: _turn_started,
    events.CardDrawn: _card_drawn,
    events.StormDrawn: _storm_drawn,
    events.StormPassed: _storm_passed,
    events.StormTookEffect: _storm_took_effect,
    events.StormWithoutEffect: _storm_without_effect,
    events.CompassEarned: _compass_earned,
    events.CompassUsed: _compass_used,
    events.CardPlaced: _card_placed,
    events.Discarded: _discarded,
    events.BlindDiscarded: _blind_discarded,
    events.RowCompleted: _row_completed,
    events.MonsterPlayed: _monster_played,
    events.RockMoved: _rock_moved,
    events.RockKept: _rock_kept,
    events.RockRemoved: _rock_removed,
    events.StartPlayed: _start_played,
    events.FinishPlayed: _finish_played,
    events.DepartureOpened: _departure_opened,
    events.OfferMade: _offer_made,
    events.OffersFailed: _offers_failed,
    events.SplitSettled: _split_settled,
    events.GameWon: _game_won,
    events.GameLost: _game_lost,
}
