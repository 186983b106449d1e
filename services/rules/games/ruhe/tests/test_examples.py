"""The worked examples of SPEC section 14 for the base game, E04 to E21 and E45.

E22 to E42 stand in `test_expansions.py`, E01 to E03, E43 and E44 in `test_notation.py`.
"""

from dataclasses import replace

import pytest

from services.rules.games.ruhe import legal
from services.rules.games.ruhe.events import Cards, Discarded, DiscardReason, SplitSettled, TurnStarted
from services.rules.games.ruhe.grid import cost
from services.rules.games.ruhe.legal import actions, actors
from services.rules.games.ruhe.model import Difficulty, EndReason, Kind, Method, Outcome, Settings, State
from services.rules.games.ruhe.moves import (
    DepartDiscard,
    DiscardHand,
    DiscardTwo,
    Offer,
    Place,
    PlayFinish,
    PlayStart,
    StormDiscard,
)
from services.rules.games.ruhe.setup import initial, opening, start
from services.rules.games.ruhe.tests.dealing import Dealt
from services.rules.games.ruhe.tests.tables import FULL, cards, drawers, names, play, refusal, seen, table, told


def kinds(state: State, seat: int) -> set[type]:
    return {type(action) for action in actions(state, seat)}


def places(state: State, seat: int) -> list[tuple[str, int]]:
    found = (action for action in actions(state, seat) if isinstance(action, Place))
    return list(dict.fromkeys((a.card, a.cell) for a in found))


def kind(state: State) -> Kind | None:
    return state.pending.kind if state.pending else None


def lost(state: State) -> tuple[EndReason, int | None] | None:
    result = state.result
    return (result.reason, result.seat) if result and result.outcome is Outcome.LOST else None


def test_e04_storms_in_the_opening_draw() -> None:
    pile = ("O1", "I10", "I20", "I30", "I40", "Y1", "I50")
    assert opening(pile) == 6
    state = initial(Settings(Difficulty.NONE, rocks=False, monsters=0, storms=True), 1)
    state = Dealt(deck=pile, start_pos=(10,)).begin(state, start)
    assert kind(state) is Kind.STORM_DISCARD
    assert state.pending is not None
    assert (state.pending.count, state.turn, [s.storm for s in state.storms]) == (1, 0, ["O1", "Y1"])
    state = play(state, 0, StormDiscard(("I40",)))
    assert (state.turn, state.hands, kind(state)) == (1, (cards("I10 I20 I30"),), Kind.TURN)
    assert kinds(state, 0) == {DiscardTwo, DiscardHand}


def test_e05_placing_on_the_empty_grid() -> None:
    state, events = told(table("I40 I41|I01 I02"), 0, Place("I40", 20, ()))
    assert names(events) == "CardPlaced TurnStarted"
    assert events[1] == TurnStarted(1, 2)
    assert state.grid[20] == 40


def test_e06_paying() -> None:
    state = table("I05 I60 I61 I62 F1|I01 I02", {0: 3})
    assert len([a for a in actions(state, 0) if isinstance(a, Place) and a.cell == 1 and a.card == "I05"]) == 6
    assert refusal(state, 0, Place("I05", 1, ())) == "WRONG_COUNT"
    assert refusal(state, 0, Place("I05", 1, ("I05", "I60"))) == "NOT_IN_HAND"
    after, events = told(state, 0, Place("I05", 1, ("F1", "I62")))
    assert after.discards[0] == ("I62", "F1")
    thrown = Discarded(0, 2, DiscardReason.COST, Cards(("I62", "F1")))
    assert seen(events[1], 0) == thrown
    assert seen(events[1], 1) == seen(events[1], None) == replace(thrown, cards=None)


def test_e07_a_row_end_is_no_border() -> None:
    grid = tuple(30 if cell == 5 else 0 for cell in range(36))
    assert (cost(grid, 6, 33), cost(grid, 11, 33)) == (3, 0)


def test_e08_the_smaller_difference() -> None:
    state = table("I06 I12 I25 I70 I71|I01", {0: 3, 2: 7, 10: 10, 12: 40})
    prices = {(card, cell): price for card, cell, price in legal.placements(state, 0)}
    assert (prices["I06", 1], prices["I12", 11]) == (1, 2)
    assert cost(state.grid, 11, 25) == 15
    assert refusal(state, 0, Place("I25", 11, ())) == "CANNOT_AFFORD"


def test_e09_ascending() -> None:
    state = table("I10 I60|I01 I02", {30: 50})
    codes = [refusal(state, 0, Place("I60", cell, ())) for cell in (2, 29, 30, 32, 36)]
    assert codes == ["NOT_ASCENDING", "NOT_ASCENDING", "CELL_OCCUPIED", "", "BAD_CELL"]
    assert refusal(state, 0, Place("I10", 29, ())) == "CANNOT_AFFORD"


def test_e10_hopeless_cells_are_legal() -> None:
    assert ("I10", 35) in places(table("I10 I11|I01 I02"), 0)


def test_e11_paying_with_the_whole_hand() -> None:
    after = play(table("I14 I60 I61 I62 I63|I01 I02", {7: 10}), 0, Place("I14", 8, ("I60", "I61", "I62", "I63")))
    assert after.hands[0] == ()
    assert refusal(table("I14 I60 I61 I62|I01 I02", {7: 10}), 0, Place("I14", 8, ("I60",))) == "CANNOT_AFFORD"


def test_e12_discarding_two() -> None:
    state = table("I10 I11 I12 F1 F2|I01 I02", piles=("I50 F3 I51", ""))
    after, events = told(state, 0, DiscardTwo(("I12", "F2")))
    assert after.hands[0] == cards("I10 I11 I50 F1 F3")
    assert names(events) == "Discarded CardDrawn CardDrawn TurnStarted"


def test_e13_stuck() -> None:
    assert lost(table("I60|I01 I02", {30: 50, 32: 61})) == (EndReason.NO_ACTION, 0)
    assert kinds(table("I60|I01 I02"), 0) == {Place}
    assert lost(table("|I01 I02")) == (EndReason.NO_ACTION, 0)
    after, events = told(table("I60 I61|"), 0, DiscardTwo(("I60", "I61")))
    assert names(events) == "Discarded TurnStarted GameLost"
    assert lost(after) == (EndReason.NO_ACTION, 1)


def test_e14_the_arrival() -> None:
    finish = PlayFinish("F1")
    assert refusal(table("F1 I70|I01 I02", FULL), 0, finish) == "START_NOT_PLAYED"
    state = table("F1 I70|I01 I02", FULL, start=True)
    assert list(actions(state, 0)) == [finish, DiscardTwo(("I70", "F1"))]
    after, events = told(state, 0, finish)
    assert names(events) == "FinishPlayed GameWon"
    assert after.result is not None
    assert after.result.outcome is Outcome.WON
    assert refusal(after, 0, finish) == "GAME_OVER"
    assert refusal(table("F1 I70|I01 I02", FULL | {7: 0}, start=True), 0, finish) == "GRID_NOT_FULL"


def test_e15_the_last_finish_card() -> None:
    action = Place("I23", 3, ("F1",))
    hole = FULL | {3: 0}
    after, events = told(table("I23 F1|I01 I02", hole, start=True), 0, action)
    assert names(events) == "CardPlaced Discarded RowCompleted GameLost"
    assert lost(after) == (EndReason.NO_FINISH_LEFT, None)
    assert play(table("I23 F1|I01 I02", hole, start=True, piles=("", "F2")), 0, action).result is None


def test_e16_the_start_duty() -> None:
    state = table("S1 I40 I41 I42 F1|I01 I02")
    assert list(actions(state, 0)) == [PlayStart("S1")]
    assert refusal(state, 0, DiscardTwo(("I40", "I41"))) == "MUST_PLAY_START"
    state = table("S1 I40 I41 I42 F1|I01 I02", start=True)
    assert refusal(state, 0, PlayStart("S1")) == "START_ALREADY_PLAYED"
    assert refusal(state, 0, DiscardTwo(("I40", "S1"))) == ""


def test_e17_a_departure_of_three() -> None:
    piles = ("I70 I71 I72 I73", "I74 I75", "I76 I77 I78")
    state = table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09", piles=piles)
    state = play(state, 0, PlayStart("S1"))
    state = play(play(state, 2, Offer(3)), 0, Offer(3))
    assert refusal(state, 0, Offer(3)) == "NOT_WAITING_FOR_YOU"
    state, events = told(state, 1, Offer(2))
    assert events[-1] == SplitSettled((3, 2, 3), Method.AGREED)
    state = play(state, 1, DepartDiscard(("I01", "F2"), 0))
    state = play(state, 0, DepartDiscard(("I40", "I41", "I42"), 0))
    state, events = told(state, 2, DepartDiscard(("I05", "I06", "I07"), 0))
    assert names(events) == "Discarded " + "CardDrawn " * 9 + "TurnStarted"
    assert drawers(events) == [0] * 4 + [1] * 2 + [2] * 3
    assert events[-1] == TurnStarted(1, 2)


def test_e18_a_departure_of_two() -> None:
    piles = ("I70 I71 I72 I73", "I74 I75 I76 I77 I78")
    state, events = told(table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2", piles=piles), 0, PlayStart("S1"))
    assert drawers(events) == [0, 0, 1, 1]
    assert [len(hand) for hand in state.hands] == [6, 7]
    state = play(play(state, 0, Offer(3)), 1, Offer(5))
    assert [len(list(actions(state, seat))) for seat in (0, 1)] == [20, 21]
    for seat in (0, 1):
        state = play(state, seat, next(iter(actions(state, seat))))
    assert ([len(hand) for hand in state.hands], state.active) == ([5, 5], 1)


def test_e19_a_departure_alone() -> None:
    state = table("S1 I40 I41 I42 F1", piles=(" ".join(f"I{n}" for n in range(50, 60)),))
    state, events = told(state, 0, PlayStart("S1"))
    assert events[-1] == SplitSettled((8,), Method.FORCED)
    picks = list(actions(state, 0))
    assert (len(state.hands[0]), kind(state), len(picks)) == (12, Kind.PICK, 495)
    state = play(state, 0, picks[0])
    assert (len(state.hands[0]), len(state.piles[0]), len(state.discards[0])) == (5, 1, 8)


@pytest.mark.parametrize(
    ("offers", "split"),
    [((0, 0, 0), (3, 3, 2)), ((4, 5, 5), (2, 3, 3)), ((4, 5, 0), (3, 5, 0)), ((4, 1, 1), (4, 2, 2))],
)
def test_e20_three_rounds_fail(offers: tuple[int, ...], split: tuple[int, ...]) -> None:
    state = table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09")
    state = play(state, 0, PlayStart("S1"))
    for _ in range(3):
        for seat, n in enumerate(offers):
            state, events = told(state, seat, Offer(n))
    assert names(events) == "OfferMade OffersFailed SplitSettled"
    assert events[-1] == SplitSettled(split, Method.ADJUSTED)


def test_e21_fewer_than_eight() -> None:
    state, events = told(table("S1 I40|I01 I02|"), 0, PlayStart("S1"))
    assert state.departure is not None
    assert state.departure.required == 3
    assert events[-1] == SplitSettled((1, 2, 0), Method.FORCED)
    assert actors(state) == (0, 1)
    state = play(play(state, 1, DepartDiscard(("I01", "I02"), 0)), 0, DepartDiscard(("I40",), 0))
    assert lost(state) == (EndReason.NO_ACTION, 1)


def test_e45_the_order_of_cards_means_nothing() -> None:
    state = table("I40 I41 I42|I01 I02")
    after = play(state, 0, DiscardTwo(("I42", "I40")))
    assert after == play(state, 0, DiscardTwo(("I40", "I42")))
    assert after.discards[0] == ("I40", "I42")
