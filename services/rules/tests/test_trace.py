"""The trace of every game: reproducible, and a script of itself."""

import io
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from services.rules.loading import PACKAGE, list_games
from services.rules.seeds import Chance
from services.rules.trace import main

GAMES = [g for g in list_games() if all(find_spec(f"{PACKAGE}.{g}.{part}") for part in ("notation", "bot"))]


def _trace(*arguments: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert main(list(arguments), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def _script(tmp_path: Path, lines: list[Any]) -> str:
    path = tmp_path / "script.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.mark.parametrize("game", GAMES)
def test_the_output_is_a_script_that_gives_the_same_lines(game: str, tmp_path: Path) -> None:
    lines = _trace(game, "--seed", "7", "--count", "2", "--max-steps", "60")
    assert [line["game"] for line in lines if "trace" in line] == [game, game]
    assert _trace(game, "--script", _script(tmp_path, lines)) == lines


@pytest.mark.parametrize("game", GAMES)
def test_count_plays_the_seeds_one_after_another(game: str) -> None:
    single = _trace(game, "--seed", "3", "--max-steps", "5"), _trace(game, "--seed", "4", "--max-steps", "5")
    assert _trace(game, "--seed", "3", "--count", "2", "--max-steps", "5") == [*single[0], *single[1]]
    assert single[0] != single[1]


@pytest.mark.parametrize("game", GAMES)
def test_a_line_lists_what_each_may_do_and_see(game: str) -> None:
    for line in _trace(game, "--max-steps", "10"):
        assert {str(seat) for seat in line["actors"]} <= set(line["legal"])
        assert line["views"].keys() > {"spectator"}
        assert line["result"] is None


@pytest.mark.parametrize("game", GAMES)
def test_refused_actions_change_nothing_and_are_scripts_too(game: str, tmp_path: Path) -> None:
    first = _trace(game, "--max-steps", "1")
    odd = [{"seat": 99, "action": {}}, {"seat": first[1]["seat"], "action": [1], "random": [77]}]
    lines = _trace(game, "--script", _script(tmp_path, [first[0], *odd, first[1]]))
    assert [lines[0], lines[3]] == first
    assert all(line["refused"].isupper() for line in lines[1:3])
    assert _trace(game, "--script", _script(tmp_path, lines)) == lines


BAD = {
    "not JSON": (["{"], "line 1: not JSON"),
    "no object": (["[]"], "line 1: neither"),
    "an action first": (['{"seat": 0, "action": {}}'], "line 1: an action, but no match has begun"),
    "another version": (['{"trace": 2, "options": {}}'], "line 1: not a trace of"),
    "another game": (["", '{"game": "halma", "options": {}}'], "line 2: not a trace of"),
    "no action": (['{"seat": 0}'], "line 1: neither"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_malformed_script_is_refused_with_its_line(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, message = BAD[case]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert main([GAMES[0], "--script", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_script_or_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([GAMES[0], "--script", str(tmp_path / "none")]) == 2
    assert main(["halma"]) == 2
    assert "no game 'halma'" in capsys.readouterr().err


def test_chance_follows_the_formulas() -> None:
    chance = Chance(1)
    first = [draws.below("x", 1000) for draws in (chance.start(), chance.decide(0), chance.decide(1))]
    assert first == [882, 904, 546]  # computed by hand with hashlib and hmac
    assert Chance(1).start().below("x", 2**60) != Chance(2).start().below("x", 2**60)
    with pytest.raises(ValueError, match="a seed is a number"):
        Chance(-1)
