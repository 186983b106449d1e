"""A broken game keeps a host from starting, in one line."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from services.kit.startup import CannotStart
from services.rules.checks import load_checked
from tests.toy_game.building import GAME, MODULE, ROOT, on_path, vary

BROKEN = [
    ('id="secret_nim"', 'id="other"', "it calls itself 'other'"),
    ('rules_version="1.0.0"', 'rules_version="1"', "rules version '1' is not of the form 1.2.3"),
    ("default_seats=2", "default_seats=7", "seats 2, 7, 4 are not in order"),
    ('"en": "Secret Nim", ', "", "it has no English title"),
    ("cards.json", "none.json", "asset none.json is not in its data folder"),
    ("has_hidden_information=True", "has_hidden_information=False", "its messages say otherwise"),
    ("def tell(", "def told(", "its module lacks tell"),
    ("(Settings(stones=30), 4)", "(Settings(stones=30), 5)", "sample 1 is refused: BAD_SEATS"),
    (
        "SAMPLES = ((DEFAULTS, 2), ",
        "SAMPLES = ((Settings(stones=3), 2), ",
        "the first of its samples is not its default",
    ),
    ("    seats = len(state.players)\n", '    raise ValueError("no board")\n', "no board"),  # data read at the start
    ('    heap = {"de": "Haufen"}', '    raise ValueError("no names")\n    heap = {"de": "Haufen"}', "no names"),
]


@pytest.mark.parametrize(("old", "new", "told"), BROKEN, ids=[told for _, _, told in BROKEN])
def test_a_broken_game_is_refused(old: str, new: str, told: str, toy_messages: Path, tmp_path: Path) -> None:
    del toy_messages
    broken = vary(tmp_path, (old, new))
    with on_path(tmp_path), pytest.raises(CannotStart) as refused:
        load_checked(f"{GAME}={broken.package}.{GAME}")
    assert told in str(refused.value)


def test_the_toy_game_is_sound(toy_messages: Path) -> None:
    del toy_messages
    assert load_checked(f"{GAME}={MODULE}").id == GAME


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--game", "chess"], "no game 'chess' here"),
        (["--game", "nim=tests.toy_game.secret_nim"], "the game's folder has its name"),
        ([], "no game to host"),
    ],
)
async def test_a_host_that_cannot_start_says_why_and_exits_with_2(arguments: list[str], told: str) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.rules", *arguments, "--listen", "127.0.0.1:0"),
        stderr=asyncio.subprocess.PIPE,
        env=environ,
        cwd=ROOT,
    )
    _, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 2
    assert told in errors.decode().splitlines()[-1]
    assert "Traceback" not in errors.decode()
