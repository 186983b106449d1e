from typing import TYPE_CHECKING

import pytest

from services.kit.draws import SeededDraws
from services.rules.games.sirenen import bot
from services.rules.games.sirenen.model import Action, Position, Settings, Variant
from services.rules.games.sirenen.tests.playing import GAME, RULES, play
from services.rules.games.sirenen.tournament import play as play_bot
from services.rules.views import view

if TYPE_CHECKING:
    from services.rules.game import Bot


@pytest.mark.parametrize("variant", list(Variant))
def test_the_sensible_bot_beats_random_play(variant: Variant) -> None:
    scores = [play_bot(GAME, Settings(variant), seed, seed % 2) for seed in range(1000, 1020)]
    assert sum(scores) >= 0.95 * len(scores)


@pytest.mark.parametrize("variant", list(Variant))
def test_the_bot_chooses_a_listed_action_in_any_position(variant: Variant) -> None:
    player: Bot[Position, Action] = bot
    for state, seat, *_ in play(Settings(variant), 2):
        actions = tuple(RULES.actions(state, seat))
        seen = view(GAME.position, RULES.position(state), seat)
        assert player.choose(seen, seat, actions, SeededDraws(bytes(32))) in actions
