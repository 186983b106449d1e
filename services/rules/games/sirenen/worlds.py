"""What a seat cannot tell apart (SPEC section 4)."""

from collections.abc import Iterator
from dataclasses import replace

from services.rules.game import Draws
from services.rules.games.sirenen.model import Phase, State, Variant


def worlds(state: State, seat: int | None, draws: Draws) -> Iterator[State]:
    """States that agree with all the seat knows: its hand, everything public, and which cards are whose.

    A hand tells nothing but its cards: each card of the other side that was not seen is as likely in its hand as in its
    pile, whose sequence nobody knows. While cards are being kept, nobody knows who begins either.
    """
    while True:
        world = _mix_common(state, seat, draws) if state.variant is Variant.BASE else _mix_own(state, seat, draws)
        if state.phase is Phase.SELECT and state.start_player is not None:
            world = replace(world, start_player=draws.below("start_player", 2))
        yield world


def _with_hands(state: State, hands: dict[int, tuple[int, ...]], piles: tuple[tuple[int, ...], ...]) -> State:
    players = tuple(replace(p, hand=tuple(sorted(hands[s]))) if s in hands else p for s, p in enumerate(state.players))
    return replace(state, players=players, piles=piles)


def _mix_common(state: State, seat: int | None, draws: Draws) -> State:
    """BASE: the unseen hands and the common pile are one heap."""
    if not state.piles:
        return state
    unseen = [s for s in (0, 1) if s != seat]
    heap = [c for s in unseen for c in state.players[s].hand] + list(state.piles[0])
    mixed, hands = draws.shuffle("unseen", sorted(heap)), {}
    for s in unseen:
        count = len(state.players[s].hand)
        hands[s], mixed = mixed[:count], mixed[count:]
    return _with_hands(state, hands, (mixed,))


def _mix_own(state: State, seat: int | None, draws: Draws) -> State:
    """OWN_DECKS: each unseen hand and its pile are a heap; of one's own, only the pile's sequence is unknown."""
    hands, piles = {}, []
    for s, pile in enumerate(state.piles):
        hand = () if s == seat else state.players[s].hand
        mixed = draws.shuffle("unseen", sorted(hand + pile))
        if s != seat:
            hands[s] = mixed[: len(hand)]
        piles.append(mixed[len(hand) :])
    return _with_hands(state, hands, tuple(piles))
