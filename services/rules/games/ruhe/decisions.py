"""Which actions are legal, with the codes and their order of SPEC section 8, and the facts that they state first."""

from collections.abc import Callable
from typing import Any

from services.rules.game import Draws, Illegal, Unreadable
from services.rules.games.ruhe import cards, events, grid, moves
from services.rules.games.ruhe.events import Cards, Discarded, DiscardReason, Event
from services.rules.games.ruhe.evolution import evolve
from services.rules.games.ruhe.flow import follow
from services.rules.games.ruhe.legal import actors
from services.rules.games.ruhe.model import CELLS, COLOURS, ROWS, WIDTH, Colour, Departure, Kind, Pending, State
from services.rules.games.ruhe.moves import Action

Facts = tuple[Event, ...]


def decide(state: State, seat: int, action: Action | Unreadable, _draws: Draws) -> Facts:
    """The events up to the next open decision. Nothing here is left to chance: the piles are dealt at the start."""
    if state.result is not None:
        raise Illegal("GAME_OVER")
    if not 0 <= seat < state.seats:
        raise Illegal("BAD_SEAT")
    if isinstance(action, Unreadable):
        raise Illegal(action.code)
    kind, check = _CHECKS[type(action)]
    if kind is not None:
        _refuse_unasked(state, seat, kind, action)
    return run(state, check(state, seat, action))


def run(state: State, facts: Facts) -> Facts:
    """The facts and all that follows from them of itself."""
    done = list(facts)
    for fact in facts:
        state = evolve(state, fact)
    while (due := follow(state)) is not None:
        done.append(due)
        state = evolve(state, due)
    return tuple(done)


def _refuse_unasked(state: State, seat: int, kind: Kind, action: Action) -> None:
    if state.pending is None or state.pending.kind is not kind:
        raise Illegal("WRONG_PHASE")
    if seat not in actors(state):
        raise Illegal("NOT_WAITING_FOR_YOU")
    is_other = kind is Kind.TURN and not isinstance(action, moves.PlayStart)
    if is_other and grid.has_start_duty(state, seat):
        raise Illegal("MUST_PLAY_START")


def _require(is_met: bool, code: str) -> None:
    if not is_met:
        raise Illegal(code)


def _require_card(state: State, seat: int, card: str, kind: str, code: str) -> None:
    _require(card in state.hands[seat], "NOT_IN_HAND")
    _require(cards.kind(card) == kind, code)


def _require_payment(state: State, seat: int, pay: tuple[str, ...], count: int, *, besides: str = "") -> None:
    """The payment check; the card played does not count as in hand."""
    _require(len(set(pay)) == len(pay), "DUPLICATE_CARD")
    _require(all(card in state.hands[seat] and card != besides for card in pay), "NOT_IN_HAND")
    _require(all(card[0] != "M" for card in pay), "MONSTER_NOT_DISCARDABLE")
    _require(state.start is not None or all(card[0] != "S" for card in pay), "START_NOT_DISCARDABLE")
    _require(len(pay) == count, "WRONG_COUNT")


def _require_open_row(state: State, row: int) -> None:
    _require(row != state.rock, "ROW_BLOCKED_BY_ROCK")
    _require(row not in grid.violet_rows(state), "ROW_BLOCKED_BY_STORM")


def _thrown(seat: int, chosen: tuple[str, ...], reason: DiscardReason) -> Discarded:
    return Discarded(seat, len(chosen), reason, Cards(cards.sort(chosen)))


def _play_start(state: State, seat: int, action: moves.PlayStart) -> Facts:
    _require_card(state, seat, action.card, "S", "NOT_A_START")
    _require(state.start is None, "START_ALREADY_PLAYED")
    return (events.StartPlayed(seat, action.card),)


def _play_finish(state: State, seat: int, action: moves.PlayFinish) -> Facts:
    _require_card(state, seat, action.card, "F", "NOT_A_FINISH")
    _require(grid.is_full(state.grid), "GRID_NOT_FULL")
    _require(state.start is not None, "START_NOT_PLAYED")
    _require(not grid.holds_monster(state), "MONSTER_STILL_HELD")
    return (events.FinishPlayed(seat, action.card),)


def _place(state: State, seat: int, action: moves.Place) -> Facts:
    card, cell = action.card, action.cell
    _require_card(state, seat, card, "I", "NOT_AN_ISLAND")
    _require(0 <= cell < CELLS, "BAD_CELL")
    _require(state.grid[cell] == 0, "CELL_OCCUPIED")
    _require_open_row(state, cell // WIDTH)
    number = cards.number(card)
    below, above = state.grid[:cell], state.grid[cell + 1 :]
    _require(max(below, default=0) < number and all(n == 0 or n > number for n in above), "NOT_ASCENDING")
    is_held = grid.holds(state, seat, Colour.ORANGE)
    _require(not is_held or bool(grid.neighbours(state.grid, cell)), "ORANGE_NEEDS_NEIGHBOUR")
    cost = grid.cost(state.grid, cell, number)
    _require(cost < len(grid.discardable(state, seat)), "CANNOT_AFFORD")
    _require_payment(state, seat, action.pay, cost, besides=card)
    placed = events.CardPlaced(seat, card, cell, cost)
    return (placed, _thrown(seat, action.pay, DiscardReason.COST)) if cost else (placed,)


def _play_monster(state: State, seat: int, action: moves.PlayMonster) -> Facts:
    _require_card(state, seat, action.card, "M", "NOT_A_MONSTER")
    _require(0 <= action.cell < CELLS, "BAD_CELL")
    number = state.grid[action.cell]
    _require(number != 0, "NO_ISLAND_THERE")
    _require_open_row(state, action.cell // WIDTH)
    return (events.MonsterPlayed(seat, action.card, action.cell, cards.island(number)),)


def _discard_two(state: State, seat: int, action: moves.DiscardTwo) -> Facts:
    _require_payment(state, seat, action.cards, 2)
    return (_thrown(seat, action.cards, DiscardReason.TWO),)


def _discard_hand(state: State, seat: int, _action: moves.DiscardHand) -> Facts:
    hand = state.hands[seat]
    _require(state.settings.storms, "EXPANSION_OFF")
    _require(len(hand) > 2, "HAND_TOO_SMALL")
    _require(all(card[0] != "M" for card in hand), "MONSTER_NOT_DISCARDABLE")
    return (_thrown(seat, hand, DiscardReason.HAND),)


def _rock_move(state: State, seat: int, action: moves.RockMove) -> Facts:
    _require(0 <= action.row < ROWS, "BAD_ROW")
    _require(action.row != state.rock, "ROW_UNCHANGED")
    _require(not grid.is_full_row(state.grid, action.row), "ROW_HAS_NO_GAP")
    return (events.RockMoved(seat, action.row),)


def _rock_keep(state: State, seat: int, action: moves.RockKeep) -> Facts:
    _require_payment(state, seat, action.pay, 2)
    row = 0 if state.rock is None else state.rock  # a rock lies while it may be kept
    return (events.RockKept(seat, row), _thrown(seat, action.pay, DiscardReason.ROCK))


def _departure(state: State) -> Departure:
    if state.departure is None:
        raise ValueError("no departure is open")
    return state.departure


def _offer(state: State, seat: int, action: moves.Offer) -> Facts:
    departure = _departure(state)
    _require(0 <= action.n <= min(departure.caps[seat], departure.required), "OFFER_OUT_OF_RANGE")
    return (events.OfferMade(seat, action.n, departure.round),)


def _depart_discard(state: State, seat: int, action: moves.DepartDiscard) -> Facts:
    departure, blind = _departure(state), action.blind
    _require(0 <= blind <= departure.blind[seat], "BLIND_NOT_ALLOWED")
    _require_payment(state, seat, action.cards, departure.split[seat] - blind)
    thrown = (_thrown(seat, action.cards, DiscardReason.DEPARTURE),) if action.cards else ()
    if not blind:
        return thrown
    return (*thrown, events.BlindDiscarded(seat, blind, Cards(state.piles[seat][:blind])))


def _storm_pass(state: State, seat: int, _action: moves.StormPass) -> Facts:
    return (events.StormPassed(seat, _pending(state).storm),)


def _pending(state: State) -> Pending:
    if state.pending is None:
        raise ValueError("no decision is open")
    return state.pending


def _use_compass(state: State, seat: int, action: moves.UseCompass) -> Facts:
    _require(state.settings.storms, "EXPANSION_OFF")
    _require(state.compasses > 0, "NO_COMPASS")
    _require(action.storm in grid.targets(state), "STORM_NOT_ACTIVE")
    return (events.CompassUsed(seat, action.storm, state.compasses - 1),)


def _storm_row(state: State, seat: int, action: moves.StormRow) -> Facts:
    _require(0 <= action.row < ROWS, "BAD_ROW")
    _require(not grid.is_full_row(state.grid, action.row), "ROW_HAS_NO_GAP")
    storm = _pending(state).storm
    return (events.StormTookEffect(storm, COLOURS[storm[0]], seat, action.row),)


def _storm_discard(state: State, seat: int, action: moves.StormDiscard) -> Facts:
    _require_payment(state, seat, action.cards, _pending(state).count)
    return (_thrown(seat, action.cards, DiscardReason.STORM),)


_CHECKS: dict[type, tuple[Kind | None, Callable[[State, int, Any], Facts]]] = {
    moves.PlayStart: (Kind.TURN, _play_start),
    moves.PlayFinish: (Kind.TURN, _play_finish),
    moves.Place: (Kind.TURN, _place),
    moves.PlayMonster: (Kind.TURN, _play_monster),
    moves.DiscardTwo: (Kind.TURN, _discard_two),
    moves.DiscardHand: (Kind.TURN, _discard_hand),
    moves.RockMove: (Kind.ROCK, _rock_move),
    moves.RockKeep: (Kind.ROCK, _rock_keep),
    moves.Offer: (Kind.OFFER, _offer),
    moves.DepartDiscard: (Kind.PICK, _depart_discard),
    moves.StormPass: (Kind.STORM_WINDOW, _storm_pass),
    moves.UseCompass: (None, _use_compass),
    moves.StormRow: (Kind.STORM_ROW, _storm_row),
    moves.StormDiscard: (Kind.STORM_DISCARD, _storm_discard),
}
