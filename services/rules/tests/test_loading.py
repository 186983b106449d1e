import hashlib
from importlib import import_module
from pathlib import Path

import pytest

from services.rules.loading import PACKAGE, digest_rules, list_games, load


def test_an_unknown_game_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no game 'halma' here"):
        load("halma")


@pytest.mark.parametrize("name", ["", "..", "os", "../x", "Toy", "a" * 40])
def test_only_ids_of_games_are_imported(name: str) -> None:
    with pytest.raises(ValueError, match="no game"):
        load(name)


def test_the_digest_covers_code_and_data_but_no_tests(tmp_path: Path) -> None:
    game = tmp_path / "game"
    (game / "data").mkdir(parents=True)
    (game / "tests").mkdir()
    (game / "__init__.py").write_bytes(b"X = 1\n")
    (game / "data" / "board.json").write_bytes(b"{}")
    files = [(b"__init__.py", b"X = 1\n"), (b"data/board.json", b"{}")]
    parts = [part for pair in files for part in pair]
    expected = hashlib.sha256(b"".join(len(p).to_bytes(4, "big") + p for p in parts)).digest()
    assert digest_rules(game) == expected
    (game / "tests" / "test_x.py").write_bytes(b"")
    assert digest_rules(game) == expected
    (game / "data" / "board.json").write_bytes(b"[]")
    assert digest_rules(game) != expected


def test_every_whole_game_listed_loads() -> None:
    whole = [g for g in list_games() if hasattr(import_module(f"{PACKAGE}.{g}"), "SAMPLES")]
    assert whole
    for game_id in whole:
        assert load(game_id) is load(game_id)
        assert load(game_id).module.DESCRIPTION.id == game_id
