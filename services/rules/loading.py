"""Loads a game by its id: module, codecs of its messages, encoder of its states, rules digest.

    game = load("sirenen")
    state = game.module.initial(game.module.DEFAULTS, 2)
    game.decode_state(game.encode_state(state)) == state

Everything that runs games (the rules host, the trace, playthroughs, conformance) gets them from here, so that a game
whose dataclasses and messages differ fails in the same way everywhere: with a TypeError, before the first call.
"""

import functools
import hashlib
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, cast

import msgspec

from services.kit.codec import Codec
from services.rules.game import Bot, Game, Notation

PACKAGE = "services.rules.games"

_ID = re.compile(r"[a-z][a-z0-9_]{1,30}")
_APART = {"tests", "goldens", "__pycache__"}  # folders that cannot change an answer


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A game ready to be asked. Equal ids give the same object for the life of the process."""

    id: str
    module: Game[Any, Any, Any, Any, Any]
    settings: Codec
    action: Codec
    event: Codec
    position: Codec
    rules_digest: bytes  # 32 bytes, see `digest_rules`
    package: str = PACKAGE
    _encoder: msgspec.msgpack.Encoder = field(default_factory=msgspec.msgpack.Encoder, repr=False)
    _decoder: msgspec.msgpack.Decoder[Any] = field(default_factory=msgspec.msgpack.Decoder, repr=False)

    def encode_state(self, state: Any) -> bytes:
        """The state as bytes, the same for equal states."""
        return self._encoder.encode(state)

    def decode_state(self, data: bytes) -> Any:
        """The state. Raises ValueError for bytes that `encode_state` did not give."""
        return self._decoder.decode(data)

    @property
    def notation(self) -> Notation[Any, Any, Any, Any, Any]:
        """The game's `notation.py`, imported when first asked for: the platform does not need it."""
        return cast("Notation[Any, Any, Any, Any, Any]", importlib.import_module(f"{self.package}.{self.id}.notation"))

    @property
    def bot(self) -> Bot[Any, Any]:
        """The game's `bot.py`, imported when first asked for."""
        return cast("Bot[Any, Any]", importlib.import_module(f"{self.package}.{self.id}.bot"))


@functools.cache
def load(game_id: str, package: str = PACKAGE) -> Loaded:
    """The game that stands in `package`, its messages in `argosy.games.<id>.v1`.

    Raises ValueError for an id that no game has, TypeError when dataclasses and messages do not correspond.
    """
    if not _ID.fullmatch(game_id) or game_id not in list_games(package):
        raise ValueError(f"no game {game_id!r} here; there are: {', '.join(list_games(package)) or 'none'}")
    module = cast("Game[Any, Any, Any, Any, Any]", importlib.import_module(f"{package}.{game_id}"))
    messages = importlib.import_module(f"argosy.games.{game_id}.v1.{game_id}_pb2")
    return Loaded(
        id=game_id,
        module=module,
        settings=Codec(module.Settings, messages.Settings),
        action=Codec(module.Action, messages.Action),
        event=Codec(module.Event, messages.Event),
        position=Codec(module.Position, messages.Position),
        rules_digest=digest_rules(resources.files(f"{package}.{game_id}")),
        package=package,
        _decoder=msgspec.msgpack.Decoder(module.State),
    )


def list_games(package: str = PACKAGE) -> tuple[str, ...]:
    """The ids of the games in the package, sorted: its folders that are packages."""
    folders = (f for f in resources.files(package).iterdir() if _ID.fullmatch(f.name) and f.is_dir())
    return tuple(sorted(f.name for f in folders if (f / "__init__.py").is_file()))


def digest_rules(folder: Traversable) -> bytes:
    """SHA-256 over the files of a game's folder, by relative path in order; its tests and goldens left out.

    Each path and each content has its length before it as u32, big-endian.
    """
    digest = hashlib.sha256()
    for path, content in sorted(_files(folder, "")):
        for part in (path.encode(), content):
            digest.update(len(part).to_bytes(4, "big") + part)
    return digest.digest()


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name not in _APART:
                yield from _files(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith(".pyc"):
            yield f"{prefix}{entry.name}", entry.read_bytes()
