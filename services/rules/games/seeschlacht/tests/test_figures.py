"""The commands that print figures."""

import re

import pytest

from services.rules.games.seeschlacht import enumeration, tournament


def test_the_tournament_counts_wins_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert tournament.main(["--matches", "1", "--seed", "5"]) == 0
    short, _, large, _ = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"short: 1 of 1 won; {'ALL_ARRIVED': 1}; \d+ turns in the median; .* s a match", short)
    assert large.startswith("large: 1 of 1 won; {'CARGO_HOME': 1}; ")


def test_the_cost_of_listing_is_told_for_each_policy(capsys: pytest.CaptureFixture[str]) -> None:
    assert enumeration.main(["--matches", "1"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in told] == ["uniform", "bot"]
    for line in told:
        positions, mean, most = map(float, re.findall(r"(\d[\d.]*) (?:positions|actions|at most)", line))
        assert positions > 100
        assert 2 <= mean <= most <= 350  # the bound of SPEC 10
