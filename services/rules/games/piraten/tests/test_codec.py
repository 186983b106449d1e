"""Everything of a playout survives its messages, and states their bytes."""

from typing import Any

import pytest

from services.rules.games import piraten
from services.rules.games.piraten.tests.playouts import play
from services.rules.loading import load

GAME = load("piraten")


def through(codec: Any, value: Any) -> Any:
    return codec.from_bytes(codec.to_bytes(value))


@pytest.mark.parametrize("sample", range(len(piraten.SAMPLES)))
def test_a_playout_survives_its_messages(sample: int) -> None:
    settings, seats = piraten.SAMPLES[sample]
    assert through(GAME.settings, settings) == settings
    kinds = set()
    for step in play(settings, seats, seed=sample, limit=150):
        kinds |= {type(event) for event in step.events}
        assert [through(GAME.event, event) for event in step.events] == list(step.events)
        assert [through(GAME.action, action) for action in step.legal] == list(step.legal)
        table = piraten.position(step.state)
        assert through(GAME.position, table) == table
        data = GAME.encode_state(step.state)
        again = GAME.decode_state(data)
        assert again == step.state
        assert GAME.encode_state(again) == data
    assert len(kinds) > 6
