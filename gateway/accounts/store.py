"""The accounts database: SQLite in the data directory, or Postgres, by URL."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import sqlalchemy
import structlog
from sqlalchemy import event, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from gateway.accounts import schema
from services.kit.errors import Reason, Refused
from services.kit.startup import CannotStart

_log = structlog.get_logger()
_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_DEADLINE_S = 10.0
_CONNECT_S = 5
_WRITERS = 10
_CREATION_LOCK = 0x617267  # any number, the same in every gateway


class Store:
    """Connections to the accounts database. Every block has a deadline of ten seconds.

    A database that cannot be reached, or is too slow, refuses with STORAGE_UNAVAILABLE.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # SQLite's own waiting for its one writer sleeps and retries; within a process a queue is much faster.
        is_sqlite = engine.dialect.name == "sqlite"
        self._turn: asyncio.Semaphore = asyncio.Semaphore(1 if is_sqlite else _WRITERS)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection for queries."""
        async with _refusing(), asyncio.timeout(_DEADLINE_S), self._engine.connect() as connection:
            yield await connection.execution_options(argosy_reads=True)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """One transaction, committed at the end of the block and rolled back when an exception leaves it."""
        async with _refusing(), asyncio.timeout(_DEADLINE_S), self._turn, self._engine.begin() as connection:
            yield connection

    async def close(self) -> None:
        """Closes the connections."""
        await self._engine.dispose()


def sqlite_url(data: Path) -> str:
    """The database of a platform that names no other: a file in its data directory."""
    return f"sqlite:///{data / 'accounts.db'}"


async def open_store(url: str) -> Store:
    """Opens the database and creates what is missing in it. Raises CannotStart in one line that holds no password."""
    address = _address(url)
    shown = address.render_as_string(hide_password=True)
    if address.get_backend_name() == "sqlite":
        await asyncio.to_thread(_try_sqlite, address)
    engine = _engine(address)
    try:
        async with asyncio.timeout(_DEADLINE_S), engine.begin() as connection:
            await _prepare(connection)
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        await engine.dispose()
        raise CannotStart(f"cannot open the accounts database {shown}: {_why(error)}") from None
    except CannotStart:
        await engine.dispose()
        raise
    return Store(engine)


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        raise CannotStart("ARGOSY_ACCOUNTS_URL is no database URL like postgresql://USER@HOST/NAME") from None
    if address.drivername not in _DRIVERS:
        raise CannotStart(f"ARGOSY_ACCOUNTS_URL must begin with sqlite: or postgresql:, not {address.drivername}:")
    return address.set(drivername=_DRIVERS[address.drivername])


def _try_sqlite(address: URL) -> None:
    """Raises CannotStart when the file cannot be opened; aiosqlite's thread would fail untidily."""
    if not address.database or address.database == ":memory:":
        raise CannotStart("ARGOSY_ACCOUNTS_URL must name a file, as sqlite:///PATH")
    try:
        with closing(sqlite3.connect(address.database, timeout=_CONNECT_S)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        raise CannotStart(f"cannot open the accounts database {address.database}: {_why(error)}") from None


def _engine(address: URL) -> AsyncEngine:
    is_sqlite = address.get_backend_name() == "sqlite"
    connect = {"timeout": _CONNECT_S} if is_sqlite else {"connect_timeout": _CONNECT_S}
    try:
        engine = create_async_engine(address, connect_args=connect, pool_pre_ping=not is_sqlite)
    except (ArgumentError, NoSuchModuleError) as error:
        raise CannotStart(f"ARGOSY_ACCOUNTS_URL cannot be used: {_why(error)}") from None
    if is_sqlite:
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver at the first write
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sqlalchemy.Connection) -> None:
    """Takes the write lock at once: a transaction that reads first could not take it later."""
    reads = connection.get_execution_options().get("argosy_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


async def _prepare(connection: AsyncConnection) -> None:
    if connection.dialect.name == "postgresql":  # gateways that start together create the tables once
        await connection.execute(select(sqlalchemy.func.pg_advisory_xact_lock(_CREATION_LOCK)))
    await connection.run_sync(schema.metadata.create_all)
    version = (await connection.execute(select(schema.schema.c.version))).scalar()
    if version is None:
        await connection.execute(schema.schema.insert().values(version=schema.VERSION))
    elif version > schema.VERSION:
        raise CannotStart(
            f"the accounts database has format {version}, this program knows {schema.VERSION}: use a newer Argosy"
        )


@asynccontextmanager
async def _refusing() -> AsyncIterator[None]:
    try:
        yield
    except sqlalchemy.exc.IntegrityError:
        raise
    except (DBAPIError, sqlalchemy.exc.TimeoutError, OSError) as error:  # OSError includes asyncio's TimeoutError
        _log.warning("accounts_unreachable", type=type(getattr(error, "orig", None) or error).__qualname__)
        text = "the accounts cannot be reached"
        raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=1.0) from error


def _why(error: BaseException) -> str:
    """The driver's own words, in one line."""
    cause = getattr(error, "orig", None) or error
    text = " ".join(str(cause).split())
    return text[:200] or type(cause).__name__
