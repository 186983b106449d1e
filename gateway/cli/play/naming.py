"""What groups of actions are called: by the names that a game has for its kinds of actions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from argosy.client import Client, Game

from gateway.cli.phrases import choose_language, primary

ASSET: Final = "components.json"
"""A game may name its kinds of actions in this asset: {"actions": [{"id": "end_turn", "name": {"de": "…"}}]}."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A language, and in it names of kinds by their fields in the game's Action; others are called by their fields."""

    language: str = "en"
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_english(self) -> bool:
        """Whether fields' names are words of the language."""
        return choose_language(self.language) == "en"

    def kind(self, name: str) -> str:
        """What actions of this kind are called."""
        return self.kinds.get(name) or name.replace("_", " ")


async def read_naming(client: Client, game: Game, language: str) -> Naming:
    """The names in a language. In English kinds are called by their fields, which are English words."""
    spoken = primary(language)
    if spoken == "en" or not any(asset.name.rpartition("/")[2] == ASSET for asset in game.about.assets):
        return Naming(language)
    return Naming(language, find_kinds(await client.asset(game.id, ASSET), spoken))


def find_kinds(content: bytes, language: str) -> Mapping[str, str]:
    """The names in an asset; none where it is written otherwise, which is no fault: a game owes none."""
    try:
        kinds = json.loads(content)["actions"]
        return dict(_named(kind, language) for kind in kinds if language in kind["name"])
    except (ValueError, LookupError, TypeError):
        return {}


def _named(kind: Mapping[str, Any], language: str) -> tuple[str, str]:
    return str(kind["id"]), str(kind["name"][language])
