"""The state after an event (SPEC sections 3, 5 and 7). Nothing here checks or refuses."""

from collections.abc import Callable, Mapping
from typing import Any

from services.rules.games.sirenen import events as e
from services.rules.games.sirenen.components import load_deck
from services.rules.games.sirenen.model import (
    Crew,
    EndReason,
    MainAction,
    Pending,
    Phase,
    Player,
    Removed,
    Result,
    ShipCard,
    State,
    Suit,
    Variant,
)
from services.rules.values import replace


def evolve(state: State, event: e.Event) -> State:
    """The state after the event, which `start` or `decide` gave."""
    fold = _FOLDS.get(type(event))
    return fold(state, event) if fold else state


def _player(state: State, seat: int, player: Player) -> tuple[Player, ...]:
    return (player, state.players[1]) if seat == 0 else (state.players[0], player)


def _pile_of(state: State, seat: int) -> int:
    return 0 if state.variant is Variant.BASE else seat


def _take(state: State, seat: int, cards: tuple[int, ...]) -> State:
    """Moves cards from the seat's pile to its hand; the rest of the pile keeps its sequence."""
    index = _pile_of(state, seat)
    pile, count = state.piles[index], len(cards)
    rest = pile[count:] if pile[:count] == cards else tuple(c for c in pile if c not in cards)
    player = state.players[seat]
    hand = tuple(sorted(player.hand + cards))
    piles = (*state.piles[:index], rest, *state.piles[index + 1 :])
    return replace(state, piles=piles, players=_player(state, seat, replace(player, hand=hand)))


def _replace_side(ship: ShipCard, side: int, cards: tuple[int, ...]) -> ShipCard:
    sides = (cards, ship.sides[1]) if side == 0 else (ship.sides[0], cards)
    return ShipCard(ship.ship, sides, ship.mugs)


def _lift(ships: tuple[ShipCard, ...], card: int, ship: int, side: int) -> tuple[ShipCard, ...]:
    return tuple(
        _replace_side(s, side, tuple(c for c in s.sides[side] if c != card)) if s.ship == ship else s for s in ships
    )


def _put(ships: tuple[ShipCard, ...], card: int, ship: int, side: int) -> tuple[ShipCard, ...]:
    return tuple(_replace_side(s, side, (*s.sides[side], card)) if s.ship == ship else s for s in ships)


def _created(state: State, event: e.GameCreated) -> State:
    if state.variant is Variant.BASE:
        piles: tuple[tuple[int, ...], ...] = (event.order,)
    else:
        suits = load_deck().suits
        piles = tuple(tuple(c for c in event.order if suits[c] is suit) for suit in Suit)
    return replace(state, piles=piles, start_player=event.start_player)


def _dealt(state: State, event: e.HandDealt) -> State:
    return _take(state, event.seat, event.cards.cards if event.cards else ())


def _taken(state: State, event: e.StartCardKept | e.CardDrawn) -> State:
    return state if event.card is None else _take(state, event.seat, (event.card,))


def _opened(state: State, _event: e.StartPlayer) -> State:
    return replace(state, phase=Phase.PLAY)


def _turn_started(state: State, event: e.TurnStarted) -> State:
    return replace(state, turn=event.seat, main_action=None)


def _turn_ended(state: State, _event: e.TurnEnded) -> State:
    return replace(state, turn=None, main_action=None)


def _played(state: State, event: e.CardPlayed) -> State:
    player = state.players[event.seat]
    rest = replace(player, hand=tuple(c for c in player.hand if c != event.card))
    return replace(
        state,
        players=_player(state, event.seat, rest),
        ships=_put(state.ships, event.card, event.ship, event.side),
        main_action=MainAction.PLAY_CARD,
    )


def _octopus_used(state: State, event: e.OctopusUsed) -> State:
    ships = _lift(state.ships, event.card, event.from_ship, event.from_side)
    return replace(
        state,
        players=_player(state, event.seat, replace(state.players[event.seat], octopus_on=event.card)),
        ships=_put(ships, event.card, event.ship, event.side),
        main_action=MainAction.USE_OCTOPUS,
    )


def _requested(state: State, event: e.CrewMoveRequested) -> State:
    action = state.main_action or MainAction.PLAY_CARD
    return replace(state, pending=Pending(event.seat, event.crew, event.from_ship, event.options, action))


def _place_crew(state: State, crew: Crew, ship: int | None) -> State:
    if crew is Crew.CAPTAIN:
        return replace(state, captain=ship, pending=None)
    return replace(state, mate=ship, pending=None)


def _crew_moved(state: State, event: e.CrewMoved) -> State:
    return _place_crew(state, event.crew, event.to_ship)


def _without_ship(state: State, ship: int) -> tuple[ShipCard, ...]:
    return tuple(s for s in state.ships if s.ship != ship)


def _ship_scored(state: State, event: e.ShipScored) -> State:
    player = state.players[event.seat]
    scored = replace(player, ships=tuple(sorted((*player.ships, event.ship))))
    return replace(state, ships=_without_ship(state, event.ship), players=_player(state, event.seat, scored))


def _ship_tied(state: State, event: e.ShipTied) -> State:
    ships = tuple(sorted((*state.removed.ships, event.ship)))
    return replace(state, ships=_without_ship(state, event.ship), removed=replace(state.removed, ships=ships))


def _crew_scored(state: State, event: e.CrewScored) -> State:
    player = state.players[event.seat]
    scored = replace(player, crew=tuple(sorted((*player.crew, event.crew))))
    return replace(_place_crew(state, event.crew, None), players=_player(state, event.seat, scored))


def _crew_removed(state: State, event: e.CrewRemoved) -> State:
    crew = tuple(sorted((*state.removed.crew, event.crew)))
    return replace(_place_crew(state, event.crew, None), removed=replace(state.removed, crew=crew))


def _mug_removed(state: State, event: e.MugRemoved) -> State:
    mugs = tuple(sorted((*state.removed.mugs, event.seat)))
    return replace(state, removed=replace(state.removed, mugs=mugs))


def _cards_removed(state: State, event: e.CardsRemoved) -> State:
    gone: Removed = replace(state.removed, cards=tuple(sorted(state.removed.cards + event.cards)))
    return replace(state, removed=gone)


def _octopus_returned(state: State, event: e.OctopusReturned) -> State:
    return replace(state, players=_player(state, event.seat, replace(state.players[event.seat], octopus_on=None)))


def _rum_played(state: State, event: e.RumPlayed) -> State:
    ships = tuple(
        replace(s, mugs=tuple(sorted((*s.mugs, event.seat)))) if s.ship == event.ship else s for s in state.ships
    )
    player = replace(state.players[event.seat], mug_held=False)
    return replace(state, ships=ships, players=_player(state, event.seat, player))


def _ended(state: State, event: e.GameEnded) -> State:
    result = Result(EndReason(event.reason), event.winner, event.points)
    return replace(state, phase=Phase.OVER, turn=None, main_action=None, pending=None, result=result)


# HandCompleted, SetTaken, TurnSkipped, CrewStayed and DrawSkipped change nothing.
_FOLDS: Mapping[type, Callable[[State, Any], State]] = {
    e.GameCreated: _created,
    e.HandDealt: _dealt,
    e.StartCardKept: _taken,
    e.StartPlayer: _opened,
    e.TurnStarted: _turn_started,
    e.TurnEnded: _turn_ended,
    e.CardPlayed: _played,
    e.OctopusUsed: _octopus_used,
    e.CrewMoveRequested: _requested,
    e.CrewMoved: _crew_moved,
    e.ShipScored: _ship_scored,
    e.ShipTied: _ship_tied,
    e.CrewScored: _crew_scored,
    e.CrewRemoved: _crew_removed,
    e.MugRemoved: _mug_removed,
    e.CardsRemoved: _cards_removed,
    e.OctopusReturned: _octopus_returned,
    e.CardDrawn: _taken,
    e.RumPlayed: _rum_played,
    e.GameEnded: _ended,
}
