"""What was recorded under a released rules version is read for ever as it was then (recorded.py)."""

import pytest

from services.rules.loading import list_games, load
from tests.conformance import recorded

RECORDED = [(game, name) for game in list_games() for name in recorded.list_recorded(load(game))]


def test_every_file_is_listed() -> None:
    """A history that is not listed would not be tried."""
    for game in map(load, list_games()):
        assert {file.name for file in recorded.folder(game).glob("*.argosy")} == set(recorded.list_recorded(game))


@pytest.mark.parametrize("game_id", list_games())
def test_the_rules_version_of_today_has_one(game_id: str) -> None:
    game = load(game_id)
    assert any(name.startswith(f"{game.module.DESCRIPTION.rules_version}-") for name in recorded.list_recorded(game))


@pytest.mark.parametrize(("game_id", "name"), RECORDED)
def test_a_recorded_history_is_read_as_it_was(game_id: str, name: str) -> None:
    game = load(game_id)
    export = recorded.read(game, name)
    assert recorded.check_stored(export).table.end is not None
    assert recorded.digest_views(game, export) == recorded.list_recorded(game)[name]


@pytest.mark.parametrize(("game_id", "name"), RECORDED)
def test_decisions_of_this_rules_version_are_decided_again(game_id: str, name: str) -> None:
    game = load(game_id)
    story = recorded.check_stored(recorded.read(game, name))
    if story.table.created.rules_version != game.module.DESCRIPTION.rules_version:
        pytest.skip("an older version: its histories are read, not decided")
    again = recorded.decide_again(game, story)
    assert (again.first_difference, again.difference) == (0, ""), "another answer: another rules version (recorded.py)"
    assert story.table.end is not None
    assert list(again.status.over.scores) == list(story.table.end.scores)


def test_another_history_has_other_views() -> None:
    """The digest covers every position: without the last entry it is another."""
    game = load("sirenen")
    name, told = next(iter(recorded.list_recorded(game).items()))
    export = recorded.read(game, name)
    del export.opened[-1]
    assert recorded.digest_views(game, export) != told
