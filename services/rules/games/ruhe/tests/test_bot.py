"""The sensible player: legal, by its own view only, better than chance."""

import pytest

from services.rules.games import ruhe
from services.rules.games.ruhe import bot
from services.rules.games.ruhe.moves import (
    DiscardHand,
    DiscardTwo,
    Offer,
    Place,
    PlayFinish,
    PlayStart,
    StormPass,
    UseCompass,
)
from services.rules.games.ruhe.tests.playing import seeded
from services.rules.games.ruhe.tests.tables import FULL, play, storm, table
from services.rules.games.ruhe.tournament import EXPANSIONS
from services.rules.games.ruhe.tournament import play as compete
from services.rules.loading import load
from services.rules.views import see

GAME = load("ruhe")


def choice(state: ruhe.State, seat: int) -> object:
    shown = see(GAME, ruhe.position(state), seat)
    listed = tuple(ruhe.actions(state, seat))
    chosen = bot.choose(shown, seat, listed, seeded())
    assert chosen in listed
    return chosen


def test_it_fills_far_more_than_chance_does() -> None:
    sensible = [compete(GAME, EXPANSIONS["none"], 2, seed)[2] for seed in range(4)]
    random = [compete(GAME, EXPANSIONS["none"], 2, seed, "random")[2] for seed in range(4)]
    assert sum(sensible) > sum(random) + 4 * 10


def test_it_arrives_and_departs() -> None:
    assert choice(table("F1 I70|I01 I02", FULL, start=True), 0) == PlayFinish("F1")
    assert choice(table("S1 I70|I01 I02"), 0) == PlayStart("S1")


def test_it_places_where_a_number_belongs() -> None:
    piles = (" ".join(f"I{n:02}" for n in range(3, 40)), " ".join(f"I{n}" for n in range(41, 77)))
    chosen = choice(table("I40 I78 I79 I80 F1|I01 I02", {35: 77}, piles=piles), 0)
    assert isinstance(chosen, Place)
    assert chosen.card == "I40"
    assert 14 <= chosen.cell <= 21


def test_it_discards_what_fits_nowhere_and_keeps_a_finish_card() -> None:
    assert choice(table("I78 I79 F1|I01 I02", FULL | {7: 0, 35: 77}), 0) == DiscardTwo(("I78", "I79"))


def test_the_last_speaker_makes_the_sum_right() -> None:
    state = play(table("S1 I40 I41 I42 F1|I01 I02 I03 I04 F2|I05 I06 I07 I08 I09"), 0, PlayStart("S1"))
    state = play(play(state, 0, Offer(2)), 1, Offer(2))
    assert choice(state, 2) == Offer(4)


def in_window(seats: int) -> ruhe.State:
    """Seat 0 has drawn Y1; the group has one compass."""
    hands, piles = ["I40 I41 I42 I43 I44", *["I01 I02"] * (seats - 1)], ["Y1 I50 I51", *[""] * (seats - 1)]
    return play(table("|".join(hands), storms=(), compasses=1, piles=piles), 0, Place("I40", 20, ()))


def test_compasses_wait_for_violet_storms_where_others_are_free() -> None:
    assert choice(in_window(3), 1) == StormPass()
    assert choice(in_window(2), 1) == UseCompass("Y1")
    state = table("I40 I41|I01 I02", storms=[storm("V1", 2)], compasses=1, compasses_earned=1)
    assert choice(state, 0) == UseCompass("V1")


def test_one_compass_lifts_what_hurts_most() -> None:
    both = [storm("Y1", 0), storm("O1", 0)]
    assert choice(table("I40 I41|I01 I02", {20: 39}, storms=both, compasses=1), 1) == UseCompass("O1")


def test_who_can_place_nothing_earns_a_compass_by_its_hand() -> None:
    piles = ("I20 I21 I22 I23 I24 I25 I26 I27", "I30 I31 I32 I33 I34 I35 I36 I37")
    assert choice(table("I10 I40 I70|I01 I02", storms=[storm("O1", 0)], piles=piles), 0) == DiscardHand()


@pytest.mark.parametrize("sample", ruhe.SAMPLES[::2], ids=str)
def test_it_plays_every_sample_to_the_end(sample: tuple[ruhe.Settings, int]) -> None:
    _, reason, filled = compete(GAME, *sample, 3)
    assert reason in ("ARRIVED", "NO_ACTION", "NO_FINISH_LEFT")
    assert filled > 4
