"""What the game says about itself: samples that can be played, assets that are there, sentences with their source."""

import re
from importlib import resources

import pytest

from services.rules.game import Bot, Game, Notation
from services.rules.games import piraten
from services.rules.games.piraten import Action, Event, Position, State, bot, notation
from services.rules.games.piraten.model import Settings, Variant
from services.rules.games.piraten.setup import completed
from services.rules.loading import load

SAID = piraten.DESCRIPTION


def test_samples_cover_every_variant_and_number_of_seats() -> None:
    assert piraten.SAMPLES[0] == (piraten.DEFAULTS, SAID.default_seats)
    played = {(settings.variant, seats) for settings, seats in piraten.SAMPLES}
    assert played == {(variant, seats) for variant in Variant for seats in range(SAID.min_seats, SAID.max_seats + 1)}
    boats = {completed(*sample).boats_per_player for sample in piraten.SAMPLES}
    assert boats == {1, 2, 3}


@pytest.mark.parametrize("name", SAID.assets)
def test_assets_are_data_files(name: str) -> None:
    assert resources.files(piraten).joinpath("data", name).read_bytes()


def test_every_refusal_names_its_source() -> None:
    for code, sentence in SAID.refusals.items():
        assert re.fullmatch(r"[A-Z_]+", code)
        assert re.search(r"\((section \d+(\.\d)?(, )?)?(R-PIR-\d\d)?(, R-PIR-\d\d)*\)\.$", sentence)


def test_settings_left_out_are_filled_in_and_stay_so() -> None:
    for settings in (Settings(), piraten.DEFAULTS, Settings(Variant.BIG)):
        for seats in (2, 3, 4):
            full = completed(settings, seats)
            assert completed(full, seats) == full
            assert len(full.colours) == (4 if settings.variant is Variant.BIG and seats == 2 else seats)


def test_settings_without_any_field_are_the_default() -> None:
    game = load("piraten")
    assert game.settings.to_bytes(Settings()) == b""
    assert piraten.initial(game.settings.from_bytes(b""), 2) == piraten.initial(piraten.DEFAULTS, 2)


def bots_of(game: Game[Settings, State, Action, Event, Position], policy: Bot[Position, Action]) -> tuple[str, ...]:
    return game.DESCRIPTION.bots if callable(policy.choose) else ()


def seat_names(words: Notation[Settings, State, Action, Event, Position]) -> list[object]:
    return [words.seat_name(seat) for seat in range(SAID.max_seats)]


def test_the_modules_are_what_the_contract_asks_for() -> None:
    # mypy compares the signatures with the protocols.
    assert bots_of(piraten, bot) == ("random", "sensible")
    assert seat_names(notation) == [0, 1, 2, 3]
