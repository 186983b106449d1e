"""The modules are what the host, the trace and the bots ask for; mypy checks these assignments."""

from pathlib import Path

from services.kit.draws import SeededDraws
from services.rules.game import Bot, Game, Notation
from services.rules.games import seeschlacht
from services.rules.games.seeschlacht import action, bot, event, model, notation, positions
from services.rules.loading import load
from services.rules.playthrough import read_cases

GOLDENS = Path(__file__).parent.parent / "goldens"

GAME: Game[model.Settings, model.State, action.Action, event.Event, positions.Position] = seeschlacht
NOTATION: Notation[model.Settings, model.State, action.Action, event.Event, positions.Position] = notation
BOT: Bot[positions.Position, action.Action] = bot


def test_it_loads_with_its_messages() -> None:
    loaded = load("seeschlacht")
    assert (loaded.module, loaded.notation, loaded.bot) == (GAME, NOTATION, BOT)
    state = GAME.initial(GAME.DEFAULTS, 2)
    assert loaded.decode_state(loaded.encode_state(state)) == state
    assert next(GAME.worlds(state, None, SeededDraws(bytes(32)))) is state


def test_the_goldens_show_every_end_of_each_edition() -> None:
    told = [
        (case.name.partition("_")[0], line.partition("over: ")[2].partition(",")[0])
        for case in read_cases(load("seeschlacht"))
        for line in (GOLDENS / f"{case.name}.txt").read_text().splitlines()
        if line.startswith("   [over: ")
    ]
    short = {model.EndReason.ALL_ARRIVED, model.EndReason.NO_MERCHANTS, model.EndReason.TURN_CAP}
    large = {model.EndReason.CARGO_HOME, model.EndReason.NO_MERCHANTS, model.EndReason.TURN_CAP}
    assert set(told) == {("short", reason.value) for reason in short} | {("large", reason.value) for reason in large}
