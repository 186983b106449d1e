"""What a seat cannot tell apart, and the public facts that hidden cards decide.

A world keeps what the seat knows: its hand, the cards it discarded itself, and all public facts. Hidden cards change
places within what the rules allow: a start card stays with its seat, a hand holds no storm, a seen discard is no
monster, a seat that did something else at its turn held no start card. What the open decision tells is kept too (how
many cards must go, a turn that is not stuck, an arrival that is or is not blocked); what earlier decisions told about
cards still hidden is not.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace

from services.rules.game import Draws
from services.rules.games.ruhe import grid
from services.rules.games.ruhe.deal import Deal
from services.rules.games.ruhe.flow import adjusted
from services.rules.games.ruhe.legal import actors, is_stuck
from services.rules.games.ruhe.model import HAND_UNDER_YELLOW, TOGETHER, Departure, Kind, Method, State

_TRIES = 40


def worlds(state: State, seat: int | None, draws: Draws) -> Iterator[State]:
    """States that the seat cannot tell from `state`, uniform over what the rules allow, each drawn anew.

    Yields `state` itself where nothing is hidden, and where no other world was found in 80 tries.
    """
    while True:
        yield _another(state, seat, draws)


def _another(state: State, seat: int | None, draws: Draws) -> State:
    if state.result is not None or not state.hands:
        return state
    # A start card in a new place may leave too few cards for another place: such a deal fails the check of sizes.
    for keeps_monsters in (False, True):
        for _ in range(_TRIES):
            world = _checked(state, Deal(state, seat, draws, keeps_monsters=keeps_monsters).world())
            if world is not None:
                return world
    return state


def _checked(state: State, world: State) -> State | None:
    """The world with its own caps; None where something public would be otherwise."""
    if not _looks_alike(state, world) or not _keeps_decision(world):
        return None
    if state.departure is None:
        return world
    departure = _with_caps(world, state.departure)
    return replace(world, departure=departure) if _fits(departure, state) else None


def _looks_alike(state: State, world: State) -> bool:
    if _sizes(world) != _sizes(state) or grid.is_finish_blocked(world) != grid.is_finish_blocked(state):
        return False
    return not grid.is_full(world.grid) or grid.has_finish_left(world)


def _keeps_decision(world: State) -> bool:
    """Whether the open decision would be open: a turn is not stuck, a yellow storm asks for as many cards."""
    pending = world.pending
    if pending is not None and pending.kind is Kind.TURN:
        return not is_stuck(world, pending.seat)
    if pending is not None and pending.kind is Kind.STORM_DISCARD:
        over = len(world.hands[pending.seat]) - HAND_UNDER_YELLOW
        return pending.count == min(over, len(grid.discardable(world, pending.seat)))
    return True


def _sizes(state: State) -> Hashable:
    return tuple(tuple(sum(map(bool, place)) for place in x) for x in (state.hands, state.piles, state.discards))


def _with_caps(world: State, departure: Departure) -> Departure:
    given = departure.given or (0,) * world.seats
    rows = zip(departure.blind, given, strict=True)
    held = (len(grid.discardable(world, seat)) for seat in range(world.seats))
    return replace(departure, caps=tuple(n + blind + gone for n, (blind, gone) in zip(held, rows, strict=True)))


def _fits(departure: Departure, state: State) -> bool:
    """Whether these caps would have led to the same talk."""
    caps, required = departure.caps, departure.required
    said = (departure.offers, departure.previous or (0,) * len(caps))
    is_forced = departure.how is Method.FORCED
    if min(TOGETHER, sum(caps)) != required or any(
        n > cap for row in said for n, cap in zip(row, caps, strict=True) if n
    ):
        return False
    if state.seats > 1 and (sum(caps) == required) != is_forced:
        return False
    if is_forced and state.seats > 1:
        return caps == departure.split
    if departure.how is Method.ADJUSTED:
        offers = tuple(n or 0 for n in departure.offers)
        return adjusted(offers, departure, state.active) == departure.split
    return True


def _to_go(state: State) -> Hashable:
    departure, pending = state.departure, state.pending
    talk = (departure.required, departure.split, departure.how) if departure else None
    return talk, pending.count if pending else 0


def _course(state: State) -> Hashable:
    pending = state.pending
    asked = (pending.kind, pending.storm, pending.seat) if pending else None
    return state.turn, state.active, asked, actors(state)


def _revealed(state: State) -> Hashable:
    return (state.hands, state.piles, state.discards, state.removed) if state.result else ()


def _drawn(state: State) -> Hashable:
    sizes = tuple((len(h), len(p)) for h, p in zip(state.hands, state.piles, strict=True))
    return sizes, state.storms, state.gone


TELLS: Mapping[str, Callable[[State], Hashable]] = {
    "cards_to_go": _to_go,  # SPEC, 10.1: required, a forced or adjusted split, a yellow storm's count
    "arrival_blocked": grid.is_finish_blocked,  # SPEC, 10.3
    "outcome": lambda state: state.result,  # a seat found stuck, no finish card left
    "course": _course,  # whose decision is open: a storm drawn opens one
    "drawn": _drawn,  # how many cards came up before a storm or the end of a pile
    "revealed": _revealed,  # R-RUH-38: after the end everything is open
    "compasses": lambda state: state.compasses_earned,  # a whole hand can only be given where no monster is in it
}
