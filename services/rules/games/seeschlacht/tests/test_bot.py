"""The sensible policy on a few matches; `tournament.py` plays many."""

import pytest

from services.rules.games.seeschlacht.model import Edition, Settings
from services.rules.games.seeschlacht.tournament import play
from services.rules.loading import load


@pytest.mark.parametrize("edition", Edition)
@pytest.mark.parametrize("seed", range(4))
def test_it_beats_random_play_and_ends_the_match(edition: Edition, seed: int) -> None:
    status, turns = play(load("seeschlacht"), Settings(edition), seed, sensible=(seed % 2,))
    assert status.scores[seed % 2] == 1
    assert status.reason != "TURN_CAP"
    assert turns < 300


@pytest.mark.parametrize("edition", Edition)
def test_against_itself_it_ends_the_match_too(edition: Edition) -> None:
    status, _ = play(load("seeschlacht"), Settings(edition), 1, sensible=(0, 1))
    assert status.reason != "TURN_CAP"
