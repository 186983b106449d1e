"""The library: an index of every match in a SQL database, and the consumer's positions beside it.

What is read from the feed is stored together with the position up to which the feed was read, in one transaction, so
that the positions of the log's consumer group never matter.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import sqlalchemy
from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.kit.clock import now_ms
from services.kit.database import Database, open_database
from services.kit.startup import CannotStart
from services.match.table import Phase
from services.replay import schema
from services.replay.rows import row_of, seat_rows, summary_of
from services.replay.rulings import index
from services.replay.schema import matches
from services.replay.summary import Summary

T = TypeVar("T")
_CREATION_LOCK: Final = 0x6C6962  # any number, the same in every process
_ROWS_LOCK: Final = 0x6C69  # the class of the locks on the rows of one partition
_CHUNK: Final = 500
_OVER: Final = (Phase.ENDED.value, Phase.ABORTED.value)
_KEPT: Final = ("is_archived", "is_retired", "is_logged")  # what the archive says, not the feed


class Library:
    """Reads and writes the library. Refuses STORAGE_UNAVAILABLE where the database is away."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def find(self, ids: Iterable[bytes]) -> dict[bytes, Summary]:
        """The summaries of these matches, of those that are known."""
        async with self.database.reading() as connection:
            return await _summaries(connection, list(ids))

    async def positions(self) -> dict[int, str]:
        """Up to which position of each partition's feed the library has everything."""
        async with self.database.reading() as connection:
            found = await connection.execute(select(schema.feed_positions))
            return {row.home: row.position for row in found}

    async def store(self, summaries: Sequence[Summary], positions: Mapping[int, str] | None = None) -> None:
        """Stores summaries and positions together. A summary that is older than what is stored is left out."""
        async with self.database.writing() as connection:
            await self._lock_rows(connection, sorted({*(s.match[0] for s in summaries), *(positions or ())}))
            for some in _chunks(summaries):
                await _write(connection, some)
            if positions:
                rows = [{"home": home, "position": position} for home, position in positions.items()]
                await connection.execute(self._upsert(schema.feed_positions, "home"), rows)

    async def quarantine(self, match: bytes, version: int, problem: str) -> None:
        """Sets a match aside: its entries from this version on are left alone until the library is made anew."""
        row = {"match": match, "version": version, "problem": problem[:200], "time_ms": now_ms()}
        async with self.database.writing() as connection:
            await connection.execute(self._upsert(schema.quarantine, "match"), [row])
            await connection.execute(update(matches).where(matches.c.id == match).values(is_quarantined=True))

    async def quarantined(self, ids: Iterable[bytes]) -> set[bytes]:
        """Those of the matches that are set aside."""
        table, found = schema.quarantine, set[bytes]()
        async with self.database.reading() as connection:
            for some in _chunks(ids):
                rows = await connection.execute(select(table.c.match).where(table.c.match.in_(some)))
                found |= {bytes(match) for match in rows.scalars()}
        return found

    async def to_archive(self, homes: range, count: int) -> list[Summary]:
        """Matches that are over and not archived, the longest over first."""
        return await self._cared_for(homes, count, matches.c.is_archived.is_(False))

    async def to_retire(
        self, homes: range, ended_before_ms: int, count: int, *, but: Collection[bytes] = ()
    ) -> list[Summary]:
        """Archived matches that are still in the store, of those that ended before, but for some."""
        is_due = matches.c.end_ms < ended_before_ms, matches.c.id.not_in(but)
        return await self._cared_for(homes, count, matches.c.is_archived.is_(True), *is_due)

    async def to_log(self, count: int) -> list[Summary]:
        """Archived matches that the transparency log does not have, the longest over first."""
        query = select(matches.c.id).where(
            matches.c.is_archived.is_(True), matches.c.is_logged.is_(False), matches.c.is_quarantined.is_(False)
        )
        return await self.select(query.order_by(matches.c.end_ms, matches.c.id).limit(count))

    async def mark(self, ids: Iterable[bytes], **flags: bool) -> None:
        """Sets `is_archived`, `is_retired` or `is_logged` of matches."""
        async with self.database.writing() as connection:
            for some in _chunks(ids):
                await connection.execute(update(matches).where(matches.c.id.in_(some)).values(**flags))

    async def is_whole(self) -> bool:
        """Whether it was filled from log and archive once."""
        async with self.database.reading() as connection:
            return bool((await connection.execute(select(schema.schema.c.is_whole))).scalar())

    async def complete(self) -> None:
        """Says that it has been filled."""
        async with self.database.writing() as connection:
            await connection.execute(update(schema.schema).values(is_whole=True))

    async def forget(self, match: bytes) -> None:
        """Removes a match that is in neither log nor archive."""
        async with self.database.writing() as connection:
            await connection.execute(delete(matches).where(matches.c.id == match))

    async def release(self, match: bytes) -> None:
        """Ends the quarantine of a match that can be read again."""
        async with self.database.writing() as connection:
            await connection.execute(delete(schema.quarantine).where(schema.quarantine.c.match == match))
            await connection.execute(update(matches).where(matches.c.id == match).values(is_quarantined=False))

    async def all_ids(self) -> AsyncIterator[tuple[bytes, int]]:
        """Every match in the library, with the time of its last entry."""
        after = b""
        while True:
            async with self.database.reading() as connection:
                asked = select(matches.c.id, matches.c.update_ms).where(matches.c.id > after)
                rows = list(await connection.execute(asked.order_by(matches.c.id).limit(_CHUNK)))
            for row in rows:
                yield bytes(row.id), row.update_ms
            if len(rows) < _CHUNK:
                return
            after = bytes(rows[-1].id)

    async def select(self, query: sqlalchemy.Select[Any]) -> list[Summary]:
        """The summaries of the ids that a query gives, in its order."""
        async with self.database.reading() as connection:
            ids = [bytes(match) for match in (await connection.execute(query)).scalars()]
            found = await _summaries(connection, ids)
        return [found[match] for match in ids]

    async def close(self) -> None:
        """Closes the connections."""
        await self.database.close()

    async def _cared_for(self, homes: range, count: int, *conditions: sqlalchemy.ColumnElement[bool]) -> list[Summary]:
        query = select(matches.c.id).where(
            matches.c.is_retired.is_(False),
            matches.c.is_quarantined.is_(False),
            matches.c.state.in_(_OVER),
            matches.c.home.between(homes.start, homes.stop - 1),
            *conditions,
        )
        return await self.select(query.order_by(matches.c.end_ms).limit(count))

    async def _lock_rows(self, connection: AsyncConnection, homes: list[int]) -> None:
        """Keeps other writers from these partitions until the transaction ends; SQLite has one writer anyhow."""
        if not self.database.is_sqlite:
            locks = sqlalchemy.text("SELECT pg_advisory_xact_lock(:kind, h) FROM unnest(CAST(:homes AS int[])) AS h")
            await connection.execute(locks, {"kind": _ROWS_LOCK, "homes": homes})

    def _upsert(self, table: sqlalchemy.Table, key: str) -> Any:
        made: Any = (sqlite if self.database.is_sqlite else postgresql).insert(table)
        values = {column.name: made.excluded[column.name] for column in table.columns if column.name != key}
        return made.on_conflict_do_update(index_elements=[key], set_=values)


def sqlite_url(data: Path) -> str:
    """The library of a platform that names no other: a file in its data directory."""
    return f"sqlite:///{data / 'library.db'}"


@asynccontextmanager
async def open_library(url: str) -> AsyncIterator[Library]:
    """Opens the library; what an older program made is dropped, to be filled anew. Raises CannotStart."""
    library = Library(await open_database(url, "library", "ARGOSY_LIBRARY_URL", _prepare))
    try:
        yield library
    finally:
        await library.close()


async def _prepare(connection: AsyncConnection) -> None:
    if connection.dialect.name == "postgresql":  # processes that start together create the tables once
        await connection.execute(select(sqlalchemy.func.pg_advisory_xact_lock(_CREATION_LOCK)))
    await connection.run_sync(schema.schema.create, checkfirst=True)
    version = (await connection.execute(select(schema.schema.c.version))).scalar()
    if version is not None and version > schema.VERSION:
        raise CannotStart(f"the library has format {version}, this program knows {schema.VERSION}: use a newer Argosy")
    if version is not None and version < schema.VERSION:
        await connection.run_sync(schema.metadata.drop_all)
    await connection.run_sync(schema.metadata.create_all)
    if version != schema.VERSION:
        await connection.execute(schema.schema.insert().values(version=schema.VERSION, is_whole=False))


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """The items, a number at a time that a database takes as arguments of one statement."""
    rest = list(items)
    return (rest[at : at + _CHUNK] for at in range(0, len(rest), _CHUNK))


async def _summaries(connection: AsyncConnection, ids: Sequence[bytes]) -> dict[bytes, Summary]:
    found = dict[bytes, Summary]()
    for some in _chunks(ids):
        seats: dict[bytes, list[Mapping[str, Any]]] = {}
        for seat in (await connection.execute(select(schema.seats).where(schema.seats.c.match.in_(some)))).mappings():
            seats.setdefault(bytes(seat["match"]), []).append(dict(seat))
        for row in (await connection.execute(select(matches).where(matches.c.id.in_(some)))).mappings():
            match = bytes(row["id"])
            found[match] = summary_of(dict(row), seats.get(match, ()))
        for match, (ruling, count) in (await index.known(connection, some)).items():
            if match in found:
                found[match].ruling, found[match].rulings = ruling, count
    return found


async def _write(connection: AsyncConnection, summaries: Sequence[Summary]) -> None:
    """Writes those that are newer than what is stored, or as new. The caller has locked their partitions."""
    asked = select(matches.c.id, matches.c.version).where(matches.c.id.in_([s.match for s in summaries]))
    versions = {bytes(row.id): row.version for row in await connection.execute(asked)}
    fresh = [s for s in summaries if s.match not in versions]
    known = [s for s in summaries if s.version >= versions.get(s.match, s.version + 1)]
    if fresh:
        await connection.execute(insert(matches), [row_of(s) for s in fresh])
    if known:
        rows = [{f"new_{k}": v for k, v in row_of(s).items() if k not in _KEPT} for s in known]
        changed: dict[str, Any] = {k: bindparam(f"new_{k}") for k in row_of(known[0]) if k not in (*_KEPT, "id")}
        await connection.execute(update(matches).where(matches.c.id == bindparam("new_id")).values(**changed), rows)
        gone = delete(schema.seats).where(schema.seats.c.match.in_([s.match for s in known]))
        await connection.execute(gone)
    if seats := [row for s in (*fresh, *known) for row in seat_rows(s)]:
        await connection.execute(insert(schema.seats), seats)
