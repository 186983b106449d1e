"""One read of a match, as the platform's processes tell it to one another (argosy.v1.Access)."""

import secrets
from collections.abc import Iterable

from argosy.internal.v1 import access_service_pb2 as pb

from services.kit.clock import now_ms

Access = pb.NotedAccess
AUDITING = frozenset(("audit", "admin"))
"""Scopes whose every read is kept."""


def access_of(
    player: bytes,
    key: str | None,
    match: bytes,
    method: str,
    *,
    versions: tuple[int, int] = (0, 0),
    seats: Iterable[int] = (),
) -> Access:
    """A read that begins now, by who calls with this key or with a token."""
    moment = now_ms()
    return Access(
        id=secrets.token_bytes(16),
        match=match,
        player=player,
        key=key or "",
        seats=seats,
        method=method,
        first_version=versions[0],
        last_version=versions[1],
        begin_ms=moment,
        last_ms=moment,
        count=1,
    )
