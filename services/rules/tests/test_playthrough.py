"""Goldens of every game: what the cases give is what stands in the files."""

from pathlib import Path

import pytest

from services.rules.loading import list_games, load
from services.rules.playthrough import Case, list_stale, main, read_cases, render

GOLDENS = Path(__file__).parent.parent / "games"
GAMES = [g for g in list_games() if (GOLDENS / g / "goldens" / "cases.json").exists()]


@pytest.mark.parametrize("game", GAMES)
def test_the_goldens_are_what_the_cases_give(game: str) -> None:
    assert list_stale(load(game)) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_case_that_gives_something_else_is_named(game: str) -> None:
    changed = [Case(name=c.name, about=c.about + "!", seed=c.seed, max_steps=1) for c in read_cases(load(game))[:2]]
    assert list_stale(load(game), changed) == [c.name for c in changed]


@pytest.mark.parametrize("game", GAMES)
def test_every_viewer_is_shown_after_every_entry(game: str) -> None:
    text = render(load(game), Case(name="x", about="y", max_steps=3))
    seats = load(game).module.DESCRIPTION.default_seats
    assert text.count("\n== ") == 4
    assert text.count("\n-- spectator\n") == 4
    assert all(text.count(f"\n-- seat {seat}\n") == 4 for seat in range(seats))


def test_check_answers_by_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    name = read_cases(load(GAMES[0]))[-1].name
    assert main([GAMES[0], "--check", "--case", name]) == 0
    assert capsys.readouterr().out == ""
