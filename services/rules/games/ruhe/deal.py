"""Hidden cards dealt anew, within what the rules allow (`worlds.py`)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from services.rules.game import Draws
from services.rules.games.ruhe import cards, grid
from services.rules.games.ruhe.model import State
from services.rules.games.ruhe.setup import opening

_FREE = "IFMYVO"  # kinds that may lie in a pile; a start card has its place already


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a start card: "pile", "hand" or "discard", and where in it."""

    name: str
    index: int


class Deal:
    """Deals the hidden cards anew. `keeps_monsters` leaves monsters in other hands where they are."""

    def __init__(self, state: State, viewer: int | None, draws: Draws, *, keeps_monsters: bool) -> None:
        self._state, self._viewer, self._draws = state, viewer, draws
        self._kept = "M" if keeps_monsters else ""
        self._others = tuple(seat for seat in range(state.seats) if seat != viewer)
        self._starts = {seat: self._place_start(seat) for seat in range(state.seats)}
        pool = [card for card in self._hidden() if card[0] != "S"]
        self._pool = list(draws.shuffle("world", pool))

    def world(self) -> State:
        """From the most restricted place to the least, so that every allowed deal is as likely as any other."""
        state = self._state
        removed = cards.sort(self._take(len(state.removed), "I"))
        discards = tuple(self._discards(seat) for seat in range(state.seats))
        hands = tuple(self._hand(seat) for seat in range(state.seats))
        discards = tuple(self._unseen(seat, pile) for seat, pile in enumerate(discards))
        piles = tuple(self._pile(seat, hands[seat]) for seat in range(state.seats))
        return replace(state, removed=removed, discards=discards, hands=hands, piles=piles)

    def _hidden(self) -> Iterator[str]:
        state = self._state
        yield from state.removed
        for seat in range(state.seats):
            yield from state.piles[seat]
            yield from (state.discards[seat][i] for i in state.unseen[seat])
        for seat in self._others:
            yield from (card for card in state.hands[seat] if card[0] not in self._kept)
            yield from (card for i, card in enumerate(state.discards[seat]) if i not in state.unseen[seat])

    def _take(self, count: int, kinds: str) -> list[str]:
        taken, left = list[str](), list[str]()
        for card in self._pool:
            (taken if len(taken) < count and card[0] in kinds else left).append(card)
        self._pool = left
        return taken

    def _place_start(self, seat: int) -> Place | None:
        """Where the seat's start card lies in this world; None where the viewer knows."""
        state, card = self._state, cards.STARTS[seat]
        slots = list(self._start_slots(seat))
        known = () if seat != self._viewer else (*state.hands[seat], *self._own_discards(seat))
        if not slots or card in known or (state.start is not None and state.start.card == card):
            return None
        return slots[self._draws.below("world", len(slots))]

    def _own_discards(self, seat: int) -> tuple[str, ...]:
        unseen = self._state.unseen[seat]
        return tuple(card for i, card in enumerate(self._state.discards[seat]) if i not in unseen)

    def _start_slots(self, seat: int) -> Iterator[Place]:
        state = self._state
        yield from (Place("pile", i) for i in range(len(state.piles[seat])))
        yield from (Place("discard", i) for i in state.unseen[seat])
        if seat == self._viewer:
            return
        is_laid = state.start is not None
        possible = len(state.hands[seat]) if is_laid else min(state.fresh[seat], len(state.hands[seat]))
        monsters = sum(card[0] in self._kept for card in state.hands[seat]) if self._kept else 0
        yield from (Place("hand", i) for i in range(min(possible, len(state.hands[seat]) - monsters)))
        if is_laid:
            later = range(state.kept[seat], len(state.discards[seat]))
            yield from (Place("discard", i) for i in later if i not in state.unseen[seat])

    def _start_in(self, seat: int, place: str) -> int | None:
        start = self._starts[seat]
        return start.index if start is not None and start.name == place else None

    def _discards(self, seat: int) -> tuple[str, ...]:
        """The discards with what their owner saw dealt anew; unseen ones follow in `_unseen`."""
        state, here = self._state, self._start_in(seat, "discard")
        if seat == self._viewer:
            return state.discards[seat]
        dealt = []
        for i in range(len(state.discards[seat])):
            if i in state.unseen[seat]:
                dealt.append("")
            else:
                dealt += [cards.STARTS[seat]] if i == here else self._take(1, "IF") or [""]
        return tuple(dealt)

    def _unseen(self, seat: int, discards: tuple[str, ...]) -> tuple[str, ...]:
        dealt, here = list(discards), self._start_in(seat, "discard")
        for i in self._state.unseen[seat]:
            dealt[i] = cards.STARTS[seat] if i == here else next(iter(self._take(1, _FREE)), "")
        return tuple(dealt)

    def _hand(self, seat: int) -> tuple[str, ...]:
        hand = self._state.hands[seat]
        if seat == self._viewer:
            return hand
        kept = [card for card in hand if self._kept and card[0] in self._kept]
        if self._start_in(seat, "hand") is not None:
            kept.append(cards.STARTS[seat])
        return cards.sort(kept + self._take(len(hand) - len(kept), "IF" if self._kept else "IFM"))

    def _pile(self, seat: int, hand: tuple[str, ...]) -> tuple[str, ...]:
        state, here = self._state, self._start_in(seat, "pile")
        pile = self._take(len(state.piles[seat]) - (here is not None), _FREE)
        if here is None:
            return tuple(pile)
        if state.turn == 0:
            here = self._below_opening(seat, tuple(pile), hand)
        return (*pile[:here], cards.STARTS[seat], *pile[here:])

    def _below_opening(self, seat: int, pile: tuple[str, ...], hand: tuple[str, ...]) -> int:
        """A place below what the opening draw still takes (R-RUH-03)."""
        pending = self._state.pending
        cut = pending.count if pending and pending.seat == seat else 0
        monsters = sum(card[0] == "M" for card in hand)
        above = opening(pile, len(hand) - cut, monsters, grid.limit(self._state, seat))
        return above + self._draws.below("world", len(pile) - above + 1)
