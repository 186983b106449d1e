"""Who calls, as the gateway says (gateway/forward.py), and which player a request means."""

from dataclasses import dataclass
from typing import Any

from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.names import id_in


@dataclass(frozen=True, slots=True)
class Caller:
    """A player's 16 bytes, what it may do, and by which API key, if any."""

    player: bytes
    scopes: frozenset[str]
    key: str = ""

    @property
    def is_host(self) -> bool:
        """Whether it sees all matches."""
        return "host" in self.scopes

    @property
    def is_auditor(self) -> bool:
        """Whether it sees everything."""
        return "audit" in self.scopes


def caller_of(context: Any) -> Caller:
    """The caller. Refuses UNAUTHENTICATED for a call that no gateway has passed on."""
    told = dict(context.invocation_metadata() or ())
    player = told.get("argosy-player-bin")
    if not isinstance(player, bytes) or len(player) != ids.SIZE:
        raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "only a gateway may call this")
    scopes = frozenset(str(told.get("argosy-scopes", "")).split())
    return Caller(player, scopes, str(told.get("argosy-key", "")))


def player_id(name: str, caller: Caller) -> bytes:
    """The id in `players/{player}` or `players/me`. Refuses NOT_FOUND for what is no such name."""
    return caller.player if name == "players/me" else id_in("players", name)
