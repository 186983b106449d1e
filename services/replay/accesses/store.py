"""Accesses on disk."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import sqlalchemy
from sqlalchemy import ColumnElement, RowMapping, and_, delete, func, insert, or_, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.kit.clock import now_ms
from services.kit.database import Database, open_database
from services.kit.startup import CannotStart
from services.match.accesses import Access
from services.replay.accesses import schema
from services.replay.accesses.schema import accesses

_CREATION_LOCK: Final = 0x616363  # any number, the same in every process
_FIELDS: Final = tuple(column.name for column in accesses.columns if column.name != "seats")
_CHANGING: Final = ("first_version", "last_version", "last_ms", "end_ms", "count")
_CHUNK: Final = 500


class Accesses:
    """Reads and writes them. Refuses STORAGE_UNAVAILABLE where the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, noted: Sequence[Access], lost: int = 0) -> None:
        """Puts accesses on disk, each as it stands; one that is older than what is stored changes nothing."""
        async with self._database.writing() as connection:
            for at in range(0, len(noted), _CHUNK):
                await connection.execute(self._upsert(), [_row(access) for access in noted[at : at + _CHUNK]])
            if lost:
                await connection.execute(insert(schema.losses).values(time_ms=now_ms(), count=lost))

    async def find(
        self, wanted: Sequence[ColumnElement[bool]], after: tuple[int, bytes] | None, count: int
    ) -> list[Access]:
        """Accesses, those that began last first, after this begin and id."""
        order = tuple_(accesses.c.begin_ms, accesses.c.id)
        query = select(accesses).where(*wanted).order_by(accesses.c.begin_ms.desc(), accesses.c.id.desc())
        if after is not None:
            query = query.where(order < tuple_(*after))
        async with self._database.reading() as connection:
            return [_access(row) for row in (await connection.execute(query.limit(count))).mappings()]

    async def lost(self) -> int:
        """How many were dropped, of the time that is kept."""
        async with self._database.reading() as connection:
            return int((await connection.execute(select(func.sum(schema.losses.c.count)))).scalar() or 0)

    async def forget(self, before_ms: int) -> int:
        """Deletes those that were last seen before; their number."""
        async with self._database.writing() as connection:
            gone = await connection.execute(delete(accesses).where(accesses.c.last_ms < before_ms))
            await connection.execute(delete(schema.losses).where(schema.losses.c.time_ms < before_ms))
            return gone.rowcount

    def _upsert(self) -> Any:
        made: Any = (sqlite if self._database.is_sqlite else postgresql).insert(accesses)
        new = made.excluded
        is_newer = and_(
            new.count >= accesses.c.count,
            new.last_version >= accesses.c.last_version,
            or_(accesses.c.end_ms == 0, new.end_ms >= accesses.c.end_ms),
        )
        values = {name: new[name] for name in _CHANGING}
        return made.on_conflict_do_update(index_elements=["id"], set_=values, where=is_newer)


def sqlite_url(data: Path) -> str:
    """The database of a platform that names no other: a file in its data directory."""
    return f"sqlite:///{data / 'accesses.db'}"


@asynccontextmanager
async def open_accesses(url: str) -> AsyncIterator[Accesses]:
    """Opens the database and creates what is missing in it. Raises CannotStart."""
    database = await open_database(url, "accesses database", "ARGOSY_ACCESSES_URL", _prepare)
    try:
        yield Accesses(database)
    finally:
        await database.close()


async def _prepare(connection: AsyncConnection) -> None:
    if connection.dialect.name == "postgresql":  # processes that start together create the tables once
        await connection.execute(select(sqlalchemy.func.pg_advisory_xact_lock(_CREATION_LOCK)))
    await connection.run_sync(schema.metadata.create_all)
    version = (await connection.execute(select(schema.schema.c.version))).scalar()
    if version is None:
        await connection.execute(schema.schema.insert().values(version=schema.VERSION))
    elif version > schema.VERSION:
        text = f"the accesses database has format {version}, this program knows {schema.VERSION}: use a newer Argosy"
        raise CannotStart(text)


def _row(access: Access) -> dict[str, Any]:
    return {name: getattr(access, name) for name in _FIELDS} | {"seats": " ".join(map(str, access.seats))}


def _access(row: RowMapping) -> Access:
    return Access(**{name: row[name] for name in _FIELDS}, seats=map(int, row["seats"].split()))
