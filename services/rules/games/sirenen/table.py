"""What follows from a state: totals, who may act, the legal actions, the position (SPEC sections 1, 4, 5, 6.2)."""

import functools
from collections.abc import Iterator

from services.rules.game import Status
from services.rules.games.sirenen.components import load_deck
from services.rules.games.sirenen.model import (
    HAND_SIZE,
    SIDE_LIMIT,
    Action,
    Cards,
    EndTurn,
    KeepStartCard,
    MoveCrew,
    Phase,
    PlayCard,
    Player,
    PlayerView,
    Position,
    ShipCard,
    ShipView,
    State,
    UseOctopus,
    UseRum,
)


def total(cards: tuple[int, ...]) -> int:
    """The sum of the cards' values; may be negative."""
    values = load_deck().values
    return sum([values[c] for c in cards])


def totals(ship: ShipCard) -> tuple[int, int]:
    """The totals of side 0 and side 1."""
    return total(ship.sides[0]), total(ship.sides[1])


def resistance(ship: ShipCard) -> int:
    """Printed value and 3 for each mug (SPEC 1)."""
    return ship.ship + 3 * len(ship.mugs)


def actors(state: State) -> tuple[int, ...]:
    """The seats that owe a decision (SPEC 5.2); none before the deal."""
    if state.phase is Phase.OVER or state.start_player is None:
        return ()
    if state.phase is Phase.SELECT:
        return tuple(s for s in (0, 1) if len(state.players[s].hand) < HAND_SIZE)
    if state.pending is not None:
        return (state.pending.seat,)
    return () if state.turn is None else (state.turn,)


def status(state: State) -> Status:
    """Who may act, or the scores: 1 to 0, or 0.5 each when nobody wins (SPEC 9)."""
    if state.result is None:
        seats = actors(state)
        return Status(turn=seats, may_act=seats)
    winner = state.result.winner
    scores = (0.5, 0.5) if winner is None else (float(winner == 0), float(winner == 1))
    return Status(scores=scores, reason=state.result.reason.value)


def movable_cards(state: State, seat: int) -> list[tuple[int, int, int]]:
    """(card, ship, side) of each card in play that the opponent's octopus does not hold, by card (R-SIR-21)."""
    held = state.players[1 - seat].octopus_on
    return sorted((c, s.ship, x) for s in state.ships for x in (0, 1) for c in s.sides[x] if c != held)


def open_sides(state: State) -> list[tuple[int, int]]:
    """(ship, side) of each location with room."""
    return [(s.ship, x) for s in state.ships for x in (0, 1) if len(s.sides[x]) < SIDE_LIMIT]


def has_main_action(state: State, seat: int) -> bool:
    """Whether the seat has a legal PLAY_CARD or USE_OCTOPUS (SPEC 7.8)."""
    player, room = state.players[seat], open_sides(state)
    if player.hand and room:
        return True
    if player.octopus_on is not None:
        return False
    return any((ship, side) != place for _, ship, side in movable_cards(state, seat) for place in room)


def actions(state: State, seat: int) -> Iterator[Action]:
    """The seat's legal actions in canonical order (SPEC 6.2)."""
    if seat not in actors(state):
        return
    player = state.players[seat]
    if state.phase is Phase.SELECT:
        yield from (KeepStartCard(c) for c in sorted(state.piles[seat]))
    elif state.pending is not None:
        yield from (MoveCrew(s) for s in state.pending.options)
    elif state.main_done:
        yield from _rum(state, player)
        yield EndTurn()
    else:
        yield from _main_actions(state, seat, player)
        yield from _rum(state, player)


def _main_actions(state: State, seat: int, player: Player) -> Iterator[Action]:
    room = open_sides(state)
    yield from (_play(c, ship, side) for c in player.hand for ship, side in room)
    if player.octopus_on is None:
        for card, at_ship, at_side in movable_cards(state, seat):
            here = (at_ship, at_side)
            yield from (_move(card, *place) for place in room if place != here)


def _rum(state: State, player: Player) -> Iterator[Action]:
    if player.mug_held:
        yield from (UseRum(s.ship) for s in state.ships)


@functools.cache
def _play(card: int, ship: int, side: int) -> PlayCard:
    return PlayCard(card, ship, side)


@functools.cache
def _move(card: int, ship: int, side: int) -> UseOctopus:
    return UseOctopus(card, ship, side)


def position(state: State) -> Position:
    """What is on the table (SPEC 4); hands and, in SELECT, pools stand in fields for their seats."""
    is_selecting = state.phase is Phase.SELECT
    return Position(
        variant=state.variant,
        phase=state.phase,
        start_player=None if is_selecting else state.start_player,
        turn=state.turn,
        main_done=state.main_done,
        actors=actors(state),
        pending=state.pending,
        ships=tuple(_view_ship(state, s) for s in state.ships),
        players=tuple(_view_player(state, s) for s in (0, 1)),
        pile_counts=tuple(map(len, state.piles)),
        removed=state.removed,
        result=state.result,
    )


def _view_ship(state: State, ship: ShipCard) -> ShipView:
    return ShipView(
        ship=ship.ship,
        resistance=resistance(ship),
        crew=state.crew_on(ship.ship),
        mugs=ship.mugs,
        sides=tuple(map(Cards, ship.sides)),
        totals=totals(ship),
    )


def _view_player(state: State, seat: int) -> PlayerView:
    player = state.players[seat]
    is_selecting = state.phase is Phase.SELECT and state.start_player is not None
    return PlayerView(
        seat=seat,
        hand=Cards(player.hand),
        hand_count=len(player.hand),
        pool=Cards(tuple(sorted(state.piles[seat]))) if is_selecting else None,
        mug_held=player.mug_held,
        octopus_on=player.octopus_on,
        ships=player.ships,
        crew=player.crew,
        points=player.points,
    )
