"""Every game of the repository names its kinds of actions, in German and as they are called in English anyway."""

import json
from importlib import resources

import pytest

from services.rules.loading import list_games, load


@pytest.mark.parametrize("game", list_games())
def test_every_kind_of_action_has_its_name(game: str) -> None:
    loaded = load(game)
    file = resources.files(f"{loaded.package}.{game}") / "data" / "components.json"
    assert file.name in loaded.module.DESCRIPTION.assets
    named = {kind["id"]: kind["name"] for kind in json.loads(file.read_bytes())["actions"]}
    (kinds,) = loaded.action.message.DESCRIPTOR.oneofs
    assert list(named) == [field.name for field in kinds.fields]
    for kind, names in named.items():
        assert names.keys() == {"en", "de"}, kind
        assert names["en"] == kind.replace("_", " ")
        assert names["de"].strip()
    assert len({names["de"] for names in named.values()}) == len(named)
