"""Where several seats may act at once, the order in which they are heard makes no difference."""

import itertools
from collections.abc import Sequence

import pytest

from services.rules.games import ruhe
from services.rules.games.ruhe.model import Kind, State
from services.rules.games.ruhe.moves import Action, DepartDiscard, DiscardTwo, Offer, PlayStart, StormPass, UseCompass
from services.rules.games.ruhe.tests.tables import play, refusal, storm, table


def ends(state: State, moves: Sequence[tuple[int, Action]]) -> list[State]:
    """The state after the moves, for each order in which they may come."""
    found = []
    for order in itertools.permutations(moves):
        after = state
        for seat, action in order:
            after = play(after, seat, action)
        found.append(after)
    return found


def departing() -> State:
    hands = "S1 I40 I41 I42 F1|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09"
    piles = ("I50 I51 I52 I53", "I54 I55 I56", "I57 I58 I59 I60")
    return play(table(hands, piles=piles, rock=2), 0, PlayStart("S1"))


OFFERS = [(0, Offer(2)), (1, Offer(3)), (2, Offer(3))]


@pytest.mark.parametrize("offers", [OFFERS, [(0, Offer(0)), (1, Offer(5)), (2, Offer(5))]])
def test_offers(offers: list[tuple[int, Action]]) -> None:
    first, *others = ends(departing(), offers)
    assert all(other == first for other in others)


def test_picks() -> None:
    state = ends(departing(), OFFERS)[0]
    picks: list[tuple[int, Action]] = [
        (0, DepartDiscard(("I40", "I41"), 0)),
        (1, DepartDiscard(("I01", "I02", "F2"), 0)),
        (2, DepartDiscard(("I05", "I06", "I07"), 0)),
    ]
    first, *others = ends(state, picks)
    assert all(other == first for other in others)
    assert first.pending is not None
    assert first.pending.kind is Kind.ROCK


def in_window() -> State:
    storms = [storm("O1", 1), storm("V1", 5)]
    state = table("I40 I41 I42|I01 I02|I03 I04", storms=storms, compasses=3, piles=("Y1 I50 I51 I52", "", ""))
    return play(state, 0, DiscardTwo(("I40", "I41")))


def test_passes_and_compasses_on_other_storms() -> None:
    state = in_window()
    moves: list[tuple[int, Action]] = [(0, StormPass()), (2, StormPass()), (1, UseCompass("O1")), (0, UseCompass("V1"))]
    after = [(s.pending, s.compasses, s.storms, s.hands, sorted(s.gone)) for s in ends(state, moves)]
    assert all(other == after[0] for other in after)
    assert ruhe.status(ends(state, moves)[0]).turn == (1,)


def test_a_compass_overtakes_a_pass() -> None:
    state = play(in_window(), 2, UseCompass("Y1"))
    assert refusal(state, 0, StormPass()) == "WRONG_PHASE"
    assert refusal(state, 1, UseCompass("Y1")) == "STORM_NOT_ACTIVE"
    assert ruhe.status(state).may_act == (0, 1, 2)
