"""The games that a rules host serves, each rules version by itself."""

from collections.abc import Iterable, Iterator

from services.rules.loading import Loaded, load


class UnknownGame(LookupError):
    """A game, a version of its rules or an asset that is not here. Its text names it."""


class Catalogue:
    """Finds a game by its id and rules version."""

    def __init__(self, games: Iterable[Loaded]) -> None:
        self._games = {(g.id, g.module.DESCRIPTION.rules_version): g for g in games}

    def __iter__(self) -> Iterator[Loaded]:
        return iter(self._games.values())

    def find(self, game: str, rules_version: str) -> Loaded:
        """The game. Raises UnknownGame."""
        try:
            return self._games[game, rules_version]
        except KeyError:
            raise UnknownGame(f"{game[:40]} {rules_version[:40]}") from None


def load_named(name: str) -> Loaded:
    """The game that `NAME` or `NAME=package.NAME` stands for; the second lies anywhere on the import path.

    Raises ValueError for a name that says neither or that no game has; whatever an import raises; and TypeError when
    dataclasses and messages do not correspond.
    """
    game, is_elsewhere, module = name.partition("=")
    if not is_elsewhere:
        return load(game)
    package, _, folder = module.rpartition(".")
    if folder != game or not package:
        raise ValueError(f"{name!r} is not NAME=package.NAME: the game's folder has its name")
    return load(game, package)
