import pytest

from services.rules.loading import list_games, load
from services.rules.playouts import measure, play


@pytest.mark.parametrize("game_id", list_games())
def test_a_playout_of_each_sample_ends(game_id: str) -> None:
    game = load(game_id)
    for settings, seats in game.module.SAMPLES:
        decided, reason = play(game, settings, seats, 1)
        assert decided > 0
        assert reason.isupper()


def test_figures_are_of_at_least_one_match() -> None:
    game = load(list_games()[0])
    figures = measure(game, *game.module.SAMPLES[0], seconds=0.001, seed=0)
    assert sum(figures["reasons"].values()) >= 1
    assert figures["actions_per_playout"] > 1
