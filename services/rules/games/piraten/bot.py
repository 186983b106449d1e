"""The sensible policy: a co-operative look one turn ahead, by the public position only."""

from collections.abc import Iterator, Sequence

from services.rules.game import Draws
from services.rules.games.piraten.fleet import fleet, is_free
from services.rules.games.piraten.model import Phase, Position, Variant
from services.rules.games.piraten.moves import (
    Action,
    EndFreeing,
    FreeBoat,
    GiveProvision,
    HoldBoat,
    MoveBoat,
    MovePirate,
    SkipExchange,
    TakeProvision,
)
from services.rules.games.piraten.outlook import Table, judge

_AT_ONCE = 0.5  # of two ways to the same end, the shorter one


def choose(position: Position, seat: int, actions: Sequence[Action], draws: Draws) -> Action:
    """One of `actions`: the first step of the best way to use both dice; among equals one by `draws`."""
    if len(actions) == 1:
        return actions[0]
    if position.phase is Phase.EXCHANGE:
        return _exchange(position, seat, actions)
    if position.phase is Phase.FREE:
        return _free(position, actions)
    known = dict[Table, float]()  # different ways often lead to the same table
    scored = [(_score(position, seat, action, actions, known), action) for action in actions]
    best = max(score for score, _ in scored)
    equal = [action for score, action in scored if score == best]
    return equal[draws.below("choice", len(equal))]


def read(position: Position) -> Table:
    """The position as the outlook wants it."""
    return Table(
        fleet=fleet(position.settings, position.players),
        is_big=position.settings.variant is Variant.BIG,
        boats=tuple(boat.place for boat in position.boats),
        pirates=tuple(pirate.space for pirate in position.pirates),
        cards=position.provisions,
    )


def _score(
    position: Position, seat: int, action: Action, actions: Sequence[Action], known: dict[Table, float]
) -> float:
    """The best that can come of the action: with the other half of the turn where that is still open."""
    after = _act(read(position), action, seat)
    ends = list(_finish(position, after, seat, action, actions))
    for end in ends or [after]:
        if end not in known:
            known[end] = judge(end, (seat + 1) % position.players)
    return max(known[end] for end in ends) if ends else known[after] + _AT_ONCE


def _finish(position: Position, table: Table, seat: int, first: Action, actions: Sequence[Action]) -> Iterator[Table]:
    """The tables that the other half of the turn can lead to; none where it is played, or the match over."""
    if len(position.dice_left) < 2 or not any(map(is_free, table.boats)):
        return
    left = list(position.dice_left)
    left.remove(_points(first))
    if isinstance(first, MovePirate):
        sails = (a for a in actions if isinstance(a, MoveBoat | HoldBoat) and a.points == left[0])
        yield from (_act(table, a, seat) for a in sails if is_free(table.boats[table.fleet.index[a.boat]]))
    else:
        for pirate in range(len(table.pirates)):
            if table.can_raid(pirate, left[0]):
                yield table.raid(pirate, left[0])


def _points(action: Action) -> int:
    assert isinstance(action, MoveBoat | HoldBoat | MovePirate)
    return action.points


def _act(table: Table, action: Action, seat: int) -> Table:
    if isinstance(action, MoveBoat):
        return table.sail(table.fleet.index[action.boat], action.path, seat)
    if isinstance(action, MovePirate):
        return table.raid(int(action.pirate.removeprefix("pirate")) - 1, action.points)
    return table


def _exchange(position: Position, seat: int, actions: Sequence[Action]) -> Action:
    """Evens out the cards; on a life ring the mover takes what it can pay with."""
    pending = position.pending
    assert pending is not None
    partner = pending.partners[0]
    own, other = position.provisions[seat], position.provisions[partner]
    is_freeing = pending.space is not None and own < position.counts.captive
    if TakeProvision(partner) in actions and (is_freeing or other > own + 1):
        return TakeProvision(partner)
    if GiveProvision(partner) in actions and own > other + 1 and not is_freeing:
        return GiveProvision(partner)
    return SkipExchange(partner)


def _free(position: Position, actions: Sequence[Action]) -> Action:
    """Frees every captive it can, the one whose payer has the most cards first."""
    freeing = [action for action in actions if isinstance(action, FreeBoat)]
    return max(freeing, key=lambda action: position.provisions[action.payer], default=EndFreeing())
