"""The modules are what the host, the trace and the bots ask for; mypy checks these assignments."""

from services.kit.draws import SeededDraws
from services.rules.game import Bot, Game, Notation
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import action, bot, event, model, notation, positions
from services.rules.loading import load

GAME: Game[model.Settings, model.State, action.Action, event.Event, positions.Position] = seeschlacht
NOTATION: Notation[model.Settings, model.State, action.Action, event.Event, positions.Position] = notation
BOT: Bot[positions.Position, action.Action] = bot


def test_it_loads_with_its_messages() -> None:
    loaded = load("seeschlacht")
    assert (loaded.module, loaded.notation, loaded.bot) == (GAME, NOTATION, BOT)
    state = GAME.initial(GAME.DEFAULTS, 2)
    assert loaded.decode_state(loaded.encode_state(state)) == state
    assert next(GAME.worlds(state, None, SeededDraws(bytes(32)))) is state
