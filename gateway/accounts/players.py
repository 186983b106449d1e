"""Players: who they are, whom they belong to, what they are called."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from gateway.accounts import schema
from gateway.accounts.secret import hashed, make_secret, matches
from gateway.accounts.store import Store
from services.kit.errors import Reason, Refused, not_found
from services.kit.log import ids
from services.kit.names import id_in

Clock = Callable[[], float]
_GUEST_RETRY_MS = 10 * 60 * 1000
_NAMES_KEPT = 100_000


@dataclass(frozen=True, slots=True)
class Player:
    """A player; `owner_key` is the API key it belongs to, None for guests."""

    id: bytes
    display_name: str
    owner_key: str | None
    create_ms: int

    @property
    def name(self) -> str:
        """The resource name."""
        return f"players/{ids.to_text(self.id)}"


def player_id(name: str) -> bytes:
    """The id in `players/{player}`. Refuses NOT_FOUND for what is no such name: there is no such player."""
    return id_in("players", name)


class Players:
    """The players of the platform. Display names never change, so they are remembered."""

    def __init__(self, store: Store, clock: Clock = time.time) -> None:
        self._store, self._clock = store, clock
        self._names: dict[bytes, str] = {}

    async def create_guest(self, display_name: str, request_id: str) -> tuple[Player, str]:
        """A new player and its secret. Within ten minutes the same request gives the same player and a new secret."""
        request = _request("guest", request_id, display_name)
        return await self._create(display_name, None, request, since_ms=self._now_ms() - _GUEST_RETRY_MS)

    async def create_owned(self, owner_key: str, display_name: str, request_id: str) -> tuple[Player, str]:
        """A new player of this API key, and its secret; the same request gives the same player and a new secret.

        Refuses REQUEST_ID_REUSED when the request id came with another name before.
        """
        player, secret = await self._create(display_name, owner_key, _request("owned", owner_key, request_id))
        if player.display_name != display_name:
            raise Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, "request_id was used with another display_name")
        return player, secret

    async def get(self, player: bytes) -> Player:
        """The player. Refuses NOT_FOUND."""
        async with self._store.reading() as connection:
            row = await _row(connection, player)
        if row is None:
            raise not_found(f"players/{ids.to_text(player)}")
        return _player(row)

    async def check_secret(self, player: bytes, secret: str) -> None:
        """Refuses UNAUTHENTICATED unless the secret is that player's; an unknown player looks the same."""
        async with self._store.reading() as connection:
            row = await _row(connection, player)
        if not matches(row["secret"] if row else None, secret):
            raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "player and secret do not belong together")

    async def are_owned(self, owner_key: str, players: Iterable[bytes]) -> bool:
        """Whether all these players belong to this API key, its own player included."""
        wanted = set(players)
        table = schema.players
        query = select(table.c.id).where(table.c.owner_key == owner_key, table.c.id.in_(wanted))
        async with self._store.reading() as connection:
            owned = {bytes(row.id) for row in await connection.execute(query)}
        return wanted == owned

    async def display_names(self, players: Iterable[bytes]) -> dict[bytes, str]:
        """The names of these players, "" for unknown ones; asks the database for new ones only."""
        wanted = set(players)
        if missing := [player for player in wanted if player not in self._names]:
            self._remember(await self._read_names(missing))
        return {player: self._names.get(player, "") for player in wanted}

    async def _read_names(self, players: Sequence[bytes]) -> dict[bytes, str]:
        table = schema.players
        query = select(table.c.id, table.c.display_name).where(table.c.id.in_(players))
        async with self._store.reading() as connection:
            return {bytes(row.id): row.display_name for row in await connection.execute(query)}

    def _remember(self, names: dict[bytes, str]) -> None:
        if len(self._names) + len(names) > _NAMES_KEPT:
            self._names.clear()
        self._names |= names

    async def _create(
        self, display_name: str, owner_key: str | None, request: bytes, since_ms: int = 0
    ) -> tuple[Player, str]:
        try:
            return await self._insert(display_name, owner_key, request, since_ms)
        except IntegrityError:  # the same request at once, elsewhere: now it is there
            return await self._insert(display_name, owner_key, request, since_ms)

    async def _insert(
        self, display_name: str, owner_key: str | None, request: bytes, since_ms: int
    ) -> tuple[Player, str]:
        table, secret = schema.players, make_secret()
        async with self._store.writing() as connection:
            found = (await connection.execute(select(table).where(table.c.request == request))).mappings().first()
            if found is not None and found["create_ms"] >= since_ms:
                await _set(connection, found["id"], secret=hashed(secret))
                return _player(found), secret
            if found is not None:
                await _set(connection, found["id"], request=None)
            values = player_values(display_name, owner_key, self._now_ms()) | {"request": request}
            await connection.execute(table.insert().values(values | {"secret": hashed(secret)}))
        return Player(values["id"], display_name, owner_key, values["create_ms"]), secret

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def player_values(display_name: str, owner_key: str | None, create_ms: int) -> dict[str, Any]:
    """The row of a new player, without secret and request."""
    player = secrets.token_bytes(ids.SIZE)
    return {"id": player, "display_name": display_name, "owner_key": owner_key, "create_ms": create_ms}


def _request(kind: str, *parts: str) -> bytes:
    return hashlib.sha256("\0".join((kind, *parts)).encode()).digest()


async def _row(connection: AsyncConnection, player: bytes) -> RowMapping | None:
    query = select(schema.players).where(schema.players.c.id == player)
    return (await connection.execute(query)).mappings().first()


async def _set(connection: AsyncConnection, player: bytes, **values: bytes | None) -> None:
    await connection.execute(update(schema.players).where(schema.players.c.id == player).values(**values))


def _player(row: RowMapping) -> Player:
    return Player(bytes(row["id"]), row["display_name"], row["owner_key"], row["create_ms"])
