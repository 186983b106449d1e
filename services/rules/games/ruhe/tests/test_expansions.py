"""The worked examples of SPEC section 14 for rocks, monsters, storms and compasses, E22 to E42."""

from services.rules.games.ruhe.events import BlindDiscarded, CompassEarned, CompassReason, Discarded, RowCompleted
from services.rules.games.ruhe.grid import limit
from services.rules.games.ruhe.legal import actions, actors, can_use_compass
from services.rules.games.ruhe.model import EndReason, Kind, State
from services.rules.games.ruhe.moves import (
    DepartDiscard,
    DiscardHand,
    DiscardTwo,
    Offer,
    Place,
    PlayFinish,
    PlayMonster,
    PlayStart,
    RockKeep,
    RockMove,
    StormDiscard,
    StormPass,
    StormRow,
    UseCompass,
)
from services.rules.games.ruhe.table import position
from services.rules.games.ruhe.tests.tables import (
    FULL,
    cards,
    drawers,
    names,
    play,
    refusal,
    seen,
    storm,
    table,
    told,
    window,
)
from services.rules.games.ruhe.tests.test_examples import kind, kinds, lost, places


def test_e22_the_rock_blocks_and_moves() -> None:
    state = table("I40 I41 I42 I43 I44|I01 I02", {0: 2}, rock=3, piles=("I50", ""))
    assert refusal(state, 0, Place("I40", 18, ())) == "ROW_BLOCKED_BY_ROCK"
    state = play(state, 0, Place("I40", 17, ()))
    legal = list(actions(state, 0))
    assert legal[:5] == [RockMove(row) for row in (0, 1, 2, 4, 5)]
    assert len(legal) == 5 + 6
    assert refusal(state, 0, RockMove(3)) == "ROW_UNCHANGED"
    after, events = told(state, 0, RockKeep(("I44", "I43")))
    assert after.hands[0] == cards("I41 I42 I50")
    assert names(events) == "RockKept Discarded CardDrawn TurnStarted"


def test_e23_too_poor_to_keep_the_rock() -> None:
    full_row = {cell: cell + 1 for cell in range(6)}
    state = play(table("I40 I41 I42|I01 I02", full_row, rock=3), 0, DiscardTwo(("I40", "I41")))
    assert list(actions(state, 0)) == [RockMove(row) for row in (1, 2, 4, 5)]
    assert refusal(state, 0, RockMove(0)) == "ROW_HAS_NO_GAP"
    assert refusal(state, 0, RockKeep(("I42",))) == "WRONG_COUNT"
    assert refusal(state, 0, RockMove(6)) == "BAD_ROW"


def test_e24_the_rock_vanishes() -> None:
    state = table("I33 I60|I01 I02", {cell: cell + 10 for cell in range(23)}, rock=5)
    after, events = told(state, 0, Place("I33", 23, ("I60",)))
    assert names(events) == "CardPlaced Discarded RowCompleted RockRemoved TurnStarted"
    assert after.rock is None


def test_e25_the_rock_after_a_departure() -> None:
    piles = ("I70 I71 I72 I73 I74", "I75 I76 I77", "I78 I79 I80")
    state = table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09", rock=2, piles=piles)
    state = play(state, 0, PlayStart("S1"))
    for seat, n in enumerate((2, 3, 3)):
        state = play(state, seat, Offer(n))
    state = play(state, 0, DepartDiscard(("I40", "I41"), 0))
    state = play(state, 1, DepartDiscard(("I01", "I02", "I03"), 0))
    state = play(state, 2, DepartDiscard(("I05", "I06", "I07"), 0))
    assert (kind(state), actors(state), state.hands[0]) == (Kind.ROCK, (0,), ("I42", "F1"))
    state, events = told(state, 0, RockKeep(("I42", "F1")))
    assert names(events) == "RockKept Discarded " + "CardDrawn " * 11 + "TurnStarted"
    assert drawers(events) == [0] * 5 + [1] * 3 + [2] * 3


def test_e26_monsters_are_no_payment() -> None:
    state = table("I05 I60 M1 M2 M3|I01 I02", {0: 3, 1: 4}, monsters=3)
    assert refusal(state, 0, DiscardTwo(("I60", "M1"))) == "MONSTER_NOT_DISCARDABLE"
    assert refusal(state, 0, Place("I05", 2, ("M1",))) == "MONSTER_NOT_DISCARDABLE"
    dearer = table("I07 I60 M1 M2 M3|I01 I02", {0: 3, 1: 4}, monsters=3)
    assert refusal(dearer, 0, Place("I07", 2, ())) == "CANNOT_AFFORD"
    after = play(state, 0, PlayMonster("M2", 1))
    assert (after.grid[1], after.gone) == (0, ("I04", "M2"))


def test_e27_monsters_block_the_arrival() -> None:
    state = table("F1 I70|I60 M1", FULL, start=True, monsters=3)
    assert refusal(state, 0, PlayFinish("F1")) == "MONSTER_STILL_HELD"
    assert position(state).is_finish_blocked
    state = table("F1 I70|I60 I61", FULL, start=True, monsters=3, piles=("", "M1"))
    assert refusal(state, 0, PlayFinish("F1")) == ""
    assert not position(state).is_finish_blocked


def test_e28_a_hand_of_monsters() -> None:
    assert lost(table("M1 M2 M3|I01 I02", monsters=3)) == (EndReason.NO_ACTION, 0)
    state = table("M1 M2 M3|I01 I02", {9: 30}, monsters=3)
    assert list(actions(state, 0)) == [PlayMonster(card, 9) for card in ("M1", "M2", "M3")]


def test_e29_rock_and_violet_stop_monsters() -> None:
    state = table("M1 I60|I01 I02", {3: 10, 9: 30, 15: 40}, rock=0, monsters=3, storms=[storm("V1", 1)])
    assert [a for a in actions(state, 0) if isinstance(a, PlayMonster)] == [PlayMonster("M1", 15)]
    codes = [refusal(state, 0, PlayMonster("M1", cell)) for cell in (3, 9)]
    assert codes == ["ROW_BLOCKED_BY_ROCK", "ROW_BLOCKED_BY_STORM"]


def test_e30_yellow_bites_at_once() -> None:
    state = table("I40 I41 I42 I43 I44|I01 I02", storms=(), piles=("Y1 I50 I51", ""))
    state = play(state, 0, Place("I40", 20, ()))
    assert (kind(state), state.pending and state.pending.count) == (Kind.STORM_DISCARD, 1)
    state, events = told(state, 0, StormDiscard(("I44",)))
    assert (names(events), len(state.hands[0])) == ("Discarded TurnStarted", 3)
    state = table("I40 I41 I42|I01 I02", storms=[storm("Y1", 0)], piles=("I50 I51 I52", ""))
    assert len(play(state, 0, DiscardTwo(("I40", "I41"))).hands[0]) == 3


def test_e31_violet_closes_a_row() -> None:
    state = table("I40 I41 I42 I43|I03 I04", storms=(), piles=("V1 I50 I51", ""))
    state = play(state, 0, DiscardTwo(("I40", "I41")))
    assert list(actions(state, 0)) == [StormRow(row) for row in range(6)]
    state, events = told(state, 0, StormRow(5))
    assert names(events) == "StormTookEffect CardDrawn CardDrawn TurnStarted"
    assert refusal(state, 1, Place("I03", 30, ())) == "ROW_BLOCKED_BY_STORM"
    assert refusal(state, 1, Place("I03", 29, ())) == ""
    state = table("F1 I70 I71|I01 I02", FULL, storms=(), piles=("V1 I50", ""))
    state, events = told(state, 0, DiscardTwo(("I70", "I71")))
    assert names(events) == "Discarded StormDrawn StormWithoutEffect CardDrawn TurnStarted"
    assert state.gone == ("V1",)


def test_e32_orange_binds_its_holder() -> None:
    state = table("I05 I40 I41 I42|I43 I44", {0: 3, 20: 39}, storms=[storm("O1", 0)])
    assert places(state, 0) == [("I05", 1), ("I40", 21), ("I41", 21), ("I42", 21)]
    codes = [refusal(state, 0, Place("I40", cell, ())) for cell in (30, 26)]
    assert codes == ["ORANGE_NEEDS_NEIGHBOUR"] * 2
    assert refusal(play(state, 0, DiscardTwo(("I05", "I40"))), 1, Place("I43", 30, ())) == ""


def test_e33_a_compass_answers_in_the_window() -> None:
    state = window()
    assert (kind(state), actors(state)) == (Kind.STORM_WINDOW, (0, 1))
    after = play(state, 1, UseCompass("Y1"))
    assert (len(after.hands[0]), after.gone) == (5, ("Y1",))


def test_e33_or_all_pass_and_it_answers_later() -> None:
    state = play(window(), 1, StormPass())
    assert list(actions(state, 1)) == [UseCompass("Y1")]
    assert refusal(state, 1, StormPass()) == "NOT_WAITING_FOR_YOU"
    state = play(state, 0, StormPass())
    assert kind(state) is Kind.STORM_DISCARD
    state = play(state, 1, UseCompass("Y1"))
    assert (len(state.hands[0]), state.active) == (5, 1)


def test_the_last_compass_spent_elsewhere_closes_the_window() -> None:
    state = table(
        "I40 I41 I42 I43 I44|I01 I02", storms=[storm("O1", 1)], compasses=1, compasses_earned=1, piles=("Y1 I50", "")
    )
    state = play(play(state, 0, Place("I40", 20, ())), 0, StormPass())
    state, events = told(state, 0, UseCompass("O1"))
    assert names(events) == "CompassUsed StormTookEffect"
    assert kind(state) is Kind.STORM_DISCARD


def test_e34_compasses_at_any_time() -> None:
    state = table("I40 I41|I01 I02", storms=[storm("V1", 2), storm("O1", 1)], compasses=2, compasses_earned=2)
    assert can_use_compass(state)
    assert list(actions(state, 1)) == [UseCompass("V1"), UseCompass("O1")]
    state = play(state, 1, UseCompass("V1"))
    assert (kind(state), actors(state), state.turn) == (Kind.TURN, (0,), 1)
    assert refusal(state, 1, UseCompass("V1")) == "STORM_NOT_ACTIVE"
    state = play(state, 0, UseCompass("O1"))
    assert refusal(state, 1, UseCompass("O1")) == "NO_COMPASS"
    assert refusal(table("I40 I41|I01 I02"), 1, UseCompass("O1")) == "EXPANSION_OFF"


def test_e35_a_consecutive_row() -> None:
    row = {12 + i: 12 + i for i in range(5)}
    state = table("I17 I60 I61|I01 I02", row, storms=())
    state, events = told(state, 0, Place("I17", 17, ("I60",)))
    assert names(events) == "CardPlaced Discarded RowCompleted CompassEarned TurnStarted"
    assert events[2:4] == (RowCompleted(2, is_consecutive=True), CompassEarned(CompassReason.ROW, 0, 2, 1))
    state = table("I18 I60 I61|I01 I02", row, storms=())
    _, events = told(state, 0, Place("I18", 17, ("I60", "I61")))
    assert events[2:4] == (RowCompleted(2, is_consecutive=False), CompassEarned(CompassReason.EMPTY_HAND, 0, None, 1))
    state = table("I17 I60|I01 I02", row, storms=(), compasses_earned=6)
    assert names(told(state, 0, Place("I17", 17, ("I60",)))[1]) == "CardPlaced Discarded RowCompleted TurnStarted"


def test_e36_discarding_the_hand() -> None:
    piles = ("I50 I51", "")
    _, events = told(table("I40 I41 I42 I43 I44|I01 I02", storms=(), piles=piles), 0, DiscardHand())
    assert names(events) == "Discarded CompassEarned CardDrawn CardDrawn TurnStarted"
    state = table("I40 I41|I01 I02", storms=())
    assert refusal(state, 0, DiscardHand()) == "HAND_TOO_SMALL"
    assert "CompassEarned" in names(told(state, 0, DiscardTwo(("I40", "I41")))[1])
    state = table("I40 I41 M1|I01 I02", storms=(), monsters=3)
    assert refusal(state, 0, DiscardHand()) == "MONSTER_NOT_DISCARDABLE"
    assert refusal(table("I40 I41 I42|I01 I02"), 0, DiscardHand()) == "EXPANSION_OFF"


def departure_under_yellow() -> State:
    hands = "S1 I40 I41|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09"
    piles = ("M1 V1 I50 I51 I52", "I60 I61 I62", "I63 I64")
    state = table(hands, storms=[storm("Y1", 0)], compasses_earned=6, monsters=3, piles=piles)
    return play(state, 0, PlayStart("S1"))


def test_e37_blind_cards() -> None:
    state = departure_under_yellow()
    assert state.departure is not None
    assert (state.departure.caps, state.departure.blind) == ((4, 5, 5), (2, 0, 0))
    for seat, n in enumerate((3, 3, 2)):
        state = play(state, seat, Offer(n))
    both, one, other = list(actions(state, 0))
    assert (both, one) == (DepartDiscard(("I40", "I41"), 1), DepartDiscard(("I40",), 2))
    assert other == DepartDiscard(("I41",), 2)
    assert refusal(state, 1, DepartDiscard(("I01", "I02"), 1)) == "BLIND_NOT_ALLOWED"
    state, events = told(state, 0, one)
    assert (names(events), state.discards[0]) == ("Discarded BlindDiscarded", ("I40", "M1", "V1"))
    assert [seen(events[1], viewer) for viewer in (0, 1, None)] == [BlindDiscarded(0, 2, None)] * 3
    state = play(state, 1, DepartDiscard(("I01", "I02", "I03"), 0))
    state = play(state, 2, DepartDiscard(("I05", "I06"), 0))
    assert [len(hand) for hand in state.hands] == [3, 5, 5]


def test_e38_a_compass_keeps_the_turn_open() -> None:
    orange = [storm("O1", 0)]
    state = table("I40|I01 I02", {0: 3}, storms=orange, compasses=1, compasses_earned=1)
    assert list(actions(state, 0)) == list(actions(state, 1)) == [UseCompass("O1")]
    assert kinds(play(state, 1, UseCompass("O1")), 0) == {Place}
    assert lost(table("|I01 I02", storms=orange, compasses=1, compasses_earned=1)) == (EndReason.NO_ACTION, 0)
    state = table("I40|I01 I02", {0: 3}, storms=[*orange, storm("V1", 5)], compasses=1, compasses_earned=1)
    after, events = told(state, 1, UseCompass("V1"))
    assert names(events) == "CompassUsed GameLost"
    assert lost(after) == (EndReason.NO_ACTION, 0)


def test_e39_two_yellows() -> None:
    state = table("I40 I41|I01 I02", storms=[storm("Y1", 0), storm("Y2", 0)], compasses=2, piles=("I50 I51", ""))
    assert limit(state, 0) == 3
    state = play(state, 1, UseCompass("Y2"))
    assert limit(state, 0) == 3
    state = play(state, 1, UseCompass("Y1"))
    assert (limit(state, 0), len(state.hands[0])) == (5, 2)


def test_e40_yellow_and_what_cannot_be_discarded() -> None:
    state = table("I40 I41 M1 M2 M3|I01 I02", storms=(), monsters=4, piles=("M4 Y1 I50", ""))
    state = play(state, 0, DiscardTwo(("I40", "I41")))
    assert (len(state.hands[0]), state.active) == (4, 1)
    state = table("I40 I41 I42 M1 M2|I01 I02", storms=(), monsters=4, piles=("S1 Y1 I50", ""))
    state = play(state, 0, DiscardTwo(("I40", "I41")))
    assert (kind(state), state.hands[0]) == (Kind.STORM_DISCARD, cards("I42 M1 M2 S1"))
    assert list(actions(state, 0)) == [StormDiscard(("I42",))]
    assert refusal(state, 0, StormDiscard(("S1",))) == "START_NOT_DISCARDABLE"


def test_e41_the_blind_right_outlasts_its_storm() -> None:
    hands = "S1 I40 I41|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09"
    piles = ("I50 I51 I52 I53 I54 I55 I56 I57", "", "")
    state = table(hands, storms=[storm("Y1", 0)], piles=piles)
    state = play(play(state, 0, PlayStart("S1")), 2, UseCompass("Y1"))
    for seat, n in enumerate((4, 2, 2)):
        state = play(state, seat, Offer(n))
    state = play(state, 0, DepartDiscard(("I40", "I41"), 2))
    state = play(state, 1, DepartDiscard(("I01", "I02"), 0))
    state = play(state, 2, DepartDiscard(("I05", "I06"), 0))
    assert (len(state.hands[0]), len(state.piles[0])) == (5, 1)


def test_e42_yellow_in_an_extra_draw() -> None:
    piles = ("I70 I71 I72", "I60 Y1 I61 I62 I63")
    state = table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2", storms=(), piles=piles)
    state, events = told(state, 0, PlayStart("S1"))
    assert names(events) == "StartPlayed CompassEarned CardDrawn CardDrawn CardDrawn StormDrawn"
    state = play(play(state, 0, StormPass()), 1, StormPass())
    assert state.pending is not None
    assert (state.pending.kind, state.pending.count, len(state.hands[1])) == (Kind.STORM_DISCARD, 3, 6)
    state, events = told(state, 1, StormDiscard(("I01", "I02", "I03")))
    assert names(events) == "Discarded CardDrawn DepartureOpened"
    assert isinstance(events[0], Discarded)
    assert state.departure is not None
    assert (len(state.hands[1]), state.departure.caps) == (4, (6, 6))
