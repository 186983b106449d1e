"""API keys of bots and hosts."""

import hashlib
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from gateway.accounts import schema
from gateway.accounts.players import Clock, player_values
from gateway.accounts.secret import hashed, make_secret, matches
from gateway.accounts.store import Store
from services.kit.errors import Reason, Refused, not_found

SCOPES = ("play", "host", "audit", "admin")
PREFIX = "ak_"
"""With this a bearer begins that is an API key."""
_MOST_ASKED = 500  # of one query
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret; `player` is who it acts as."""

    id: str
    display_name: str
    scopes: frozenset[str]
    player: bytes
    create_ms: int
    revoke_ms: int | None

    @property
    def name(self) -> str:
        """The resource name."""
        return f"apiKeys/{self.id}"


def key_id(name: str) -> str:
    """The id in `apiKeys/{api_key}`. Refuses NOT_FOUND for what is no such name."""
    kind, _, text = name.partition("/")
    if kind != "apiKeys" or not _ID.fullmatch(text):
        raise not_found(name)
    return text


class ApiKeys:
    """The API keys of the platform."""

    def __init__(self, store: Store, clock: Clock = time.time) -> None:
        self._store, self._clock = store, clock

    async def create(self, display_name: str, scopes: Iterable[str], request_id: str) -> tuple[ApiKey, str]:
        """A new key with a player of its own, and its bearer text, which is not kept.

        Refuses REQUEST_ID_REUSED for a request id that has made a key before.
        """
        now_ms, secret = self._now_ms(), make_secret()
        key = secrets.token_hex(8)
        player = player_values(display_name, key, now_ms)
        row = {
            "id": key,
            "display_name": display_name,
            "scopes": " ".join(scope for scope in SCOPES if scope in set(scopes)),
            "player": player["id"],
            "secret": hashed(secret),
            "request": hashlib.sha256(request_id.encode()).digest(),
            "create_ms": now_ms,
        }
        try:
            async with self._store.writing() as connection:
                await connection.execute(schema.players.insert().values(player))
                await connection.execute(schema.api_keys.insert().values(row))
        except IntegrityError:
            text = "request_id has made a key before, whose secret is not shown again"
            raise Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, text) from None
        return _key(row | {"revoke_ms": None}), f"{PREFIX}{key}_{secret}"

    async def page(self, size: int, after: tuple[int, str] | None = None) -> list[ApiKey]:
        """At most `size` keys, oldest first, after the one with this create_ms and id."""
        table = schema.api_keys
        query = select(table).order_by(table.c.create_ms, table.c.id).limit(size)
        if after is not None:
            query = query.where(tuple_(table.c.create_ms, table.c.id) > tuple_(*after))
        async with self._store.reading() as connection:
            return [_key(row) for row in (await connection.execute(query)).mappings()]

    async def get(self, key: str) -> ApiKey:
        """The key. Refuses NOT_FOUND."""
        row = await self._row(key)
        if row is None:
            raise not_found(f"apiKeys/{key}")
        return _key(row)

    async def revoke(self, key: str) -> ApiKey:
        """The key, which works no longer; a second time changes nothing. Refuses NOT_FOUND."""
        table = schema.api_keys
        change = update(table).where(table.c.id == key, table.c.revoke_ms.is_(None)).values(revoke_ms=self._now_ms())
        async with self._store.writing() as connection:
            await connection.execute(change)
        return await self.get(key)

    async def authenticate(self, bearer: str) -> ApiKey | None:
        """The key of this bearer text; None when there is none, or it is revoked."""
        key, _, secret = bearer.removeprefix(PREFIX).partition("_")
        row = await self._row(key) if _ID.fullmatch(key) else None
        if row is None or not matches(row["secret"], secret) or row["revoke_ms"] is not None:
            return None
        return _key(row)

    async def revoked_among(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that are revoked."""
        wanted, found, table = sorted(keys), set[str](), schema.api_keys
        for start in range(0, len(wanted), _MOST_ASKED):
            named = table.c.id.in_(wanted[start : start + _MOST_ASKED])
            async with self._store.reading() as connection:
                rows = await connection.execute(select(table.c.id).where(named, table.c.revoke_ms.is_not(None)))
                found.update(row.id for row in rows)
        return found

    async def _row(self, key: str) -> RowMapping | None:
        query = select(schema.api_keys).where(schema.api_keys.c.id == key)
        async with self._store.reading() as connection:
            return (await connection.execute(query)).mappings().first()

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _key(row: RowMapping | dict[str, Any]) -> ApiKey:
    return ApiKey(
        id=row["id"],
        display_name=row["display_name"],
        scopes=frozenset(row["scopes"].split()),
        player=bytes(row["player"]),
        create_ms=row["create_ms"],
        revoke_ms=row["revoke_ms"],
    )
