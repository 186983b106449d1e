"""Who calls, as the gateway says (gateway/forward.py), and the names in requests."""

from dataclasses import dataclass
from typing import Any

from services.kit.errors import Reason, Refused, not_found
from services.kit.log import ids


@dataclass(frozen=True, slots=True)
class Caller:
    """A player's 16 bytes, and what it may do."""

    player: bytes
    scopes: frozenset[str]

    @property
    def is_host(self) -> bool:
        """Whether it sees all matches."""
        return "host" in self.scopes

    @property
    def is_auditor(self) -> bool:
        """Whether it sees everything of matches that are over."""
        return "audit" in self.scopes


def caller_of(context: Any) -> Caller:
    """The caller. Refuses UNAUTHENTICATED for a call that no gateway has passed on."""
    told = dict(context.invocation_metadata() or ())
    player = told.get("argosy-player-bin")
    if not isinstance(player, bytes) or len(player) != ids.SIZE:
        raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "only a gateway may call this")
    return Caller(player, frozenset(str(told.get("argosy-scopes", "")).split()))


def match_id(name: str) -> bytes:
    """The id in `matches/{match}`. Refuses NOT_FOUND for what is no such name."""
    return _id("matches", name)


def player_id(name: str, caller: Caller) -> bytes:
    """The id in `players/{player}` or `players/me`. Refuses NOT_FOUND for what is no such name."""
    return caller.player if name == "players/me" else _id("players", name)


def game_id(name: str) -> str:
    """The id in `games/{game}`. Refuses NOT_FOUND for what is no such name."""
    kind, _, game = name.partition("/")
    if kind != "games" or not game:
        raise not_found(name)
    return game


def _id(kind: str, name: str) -> bytes:
    found, _, text = name.partition("/")
    try:
        if found == kind:
            return ids.from_text(text)
    except ValueError:
        pass
    raise not_found(name)
