"""Every code of the description is met, each once, and a refusal of an impossible setting."""

import pytest

from services.rules.game import Illegal
from services.rules.games import ruhe
from services.rules.games.ruhe.model import Difficulty, Settings, State
from services.rules.games.ruhe.moves import (
    Action,
    DepartDiscard,
    DiscardHand,
    DiscardTwo,
    Offer,
    Place,
    PlayFinish,
    PlayMonster,
    PlayStart,
    RockMove,
    StormDiscard,
    UseCompass,
)
from services.rules.games.ruhe.setup import initial
from services.rules.games.ruhe.tests.tables import FULL, play, refusal, storm, table


def plain() -> State:
    return table("I40 I41 F1|I01 I02", {0: 3, 20: 39})


def rocky() -> State:
    return play(table("I40 I41 I42|I01 I02", {c: c + 1 for c in range(6)}, rock=3), 0, DiscardTwo(("I40", "I41")))


def talking() -> State:
    return play(table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2"), 0, PlayStart("S1"))


def picking() -> State:
    return play(play(talking(), 0, Offer(4)), 1, Offer(4))


def stormy() -> State:
    storms = [storm("V1", 1), storm("O1", 0)]
    return table("I40 I41 I42 M1|I01 I02", {0: 3, 9: 20, 20: 39}, storms=storms, monsters=3, compasses=1, rock=2)


def cut() -> State:
    state = table("I40 I41 I42 I43|I01 I02", storms=(), piles=("S1 I50 Y1", ""))
    return play(state, 0, DiscardTwo(("I40", "I41")))


MET: dict[str, tuple[State, int, Action]] = {
    "GAME_OVER": (table("|I01"), 0, DiscardTwo(())),
    "BAD_SEAT": (plain(), 2, DiscardTwo(())),
    "WRONG_PHASE": (plain(), 0, Offer(1)),
    "NOT_WAITING_FOR_YOU": (plain(), 1, DiscardTwo(("I01", "I02"))),
    "MUST_PLAY_START": (table("S1 I40 I41|I01"), 0, DiscardTwo(("I40", "I41"))),
    "NOT_IN_HAND": (plain(), 0, Place("I50", 25, ())),
    "NOT_A_START": (plain(), 0, PlayStart("I40")),
    "NOT_A_FINISH": (plain(), 0, PlayFinish("I40")),
    "NOT_AN_ISLAND": (plain(), 0, Place("F1", 25, ())),
    "NOT_A_MONSTER": (plain(), 0, PlayMonster("I40", 0)),
    "BAD_CELL": (plain(), 0, Place("I40", -1, ())),
    "BAD_ROW": (rocky(), 0, RockMove(-1)),
    "START_ALREADY_PLAYED": (table("S1 I40|I01", start=True), 0, PlayStart("S1")),
    "GRID_NOT_FULL": (plain(), 0, PlayFinish("F1")),
    "START_NOT_PLAYED": (table("F1 I01|I02", FULL), 0, PlayFinish("F1")),
    "MONSTER_STILL_HELD": (table("F1 M1|I02", FULL, start=True, monsters=3), 0, PlayFinish("F1")),
    "CELL_OCCUPIED": (plain(), 0, Place("I40", 0, ())),
    "ROW_BLOCKED_BY_ROCK": (stormy(), 0, Place("I40", 12, ())),
    "ROW_BLOCKED_BY_STORM": (stormy(), 0, Place("I40", 10, ())),
    "NOT_ASCENDING": (plain(), 0, Place("I40", 19, ())),
    "ORANGE_NEEDS_NEIGHBOUR": (stormy(), 0, Place("I40", 30, ())),
    "CANNOT_AFFORD": (table("I60|I01", {20: 39}), 0, Place("I60", 21, ())),
    "DUPLICATE_CARD": (plain(), 0, DiscardTwo(("I40", "I40"))),
    "MONSTER_NOT_DISCARDABLE": (stormy(), 0, DiscardTwo(("I40", "M1"))),
    "START_NOT_DISCARDABLE": (cut(), 0, StormDiscard(("S1",))),
    "WRONG_COUNT": (plain(), 0, DiscardTwo(("I40",))),
    "NO_ISLAND_THERE": (stormy(), 0, PlayMonster("M1", 30)),
    "EXPANSION_OFF": (plain(), 1, UseCompass("Y1")),
    "HAND_TOO_SMALL": (table("I40 I41|I01", storms=()), 0, DiscardHand()),
    "ROW_UNCHANGED": (rocky(), 0, RockMove(3)),
    "ROW_HAS_NO_GAP": (rocky(), 0, RockMove(0)),
    "OFFER_OUT_OF_RANGE": (talking(), 0, Offer(9)),
    "BLIND_NOT_ALLOWED": (picking(), 0, DepartDiscard((), 1)),
    "NO_COMPASS": (table("I40 I41|I01", storms=[storm("O1", 0)]), 0, UseCompass("O1")),
    "STORM_NOT_ACTIVE": (stormy(), 0, UseCompass("Y2")),
}


@pytest.mark.parametrize("code", MET)
def test_a_code_is_met(code: str) -> None:
    assert refusal(*MET[code]) == code


def test_no_code_is_left_out() -> None:
    assert {*MET, "BAD_OPTIONS"} == set(ruhe.DESCRIPTION.refusals)


@pytest.mark.parametrize(("monsters", "seats"), [(2, 3), (-1, 3), (6, 3), (3, 0), (0, 6)])
def test_impossible_settings(monsters: int, seats: int) -> None:
    with pytest.raises(Illegal, match="BAD_OPTIONS"):
        initial(Settings(Difficulty.NONE, rocks=False, monsters=monsters, storms=False), seats)
