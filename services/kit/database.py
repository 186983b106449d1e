"""A SQL database of one process's own output: SQLite in a file, or Postgres, by URL."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from typing import Any

import sqlalchemy
import structlog
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from services.kit.errors import Reason, Refused
from services.kit.startup import CannotStart

Prepare = Callable[[AsyncConnection], Awaitable[None]]
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


class Database:
    """Connections. Every block has a deadline of ten seconds.

    A database that cannot be reached, or is too slow, refuses with STORAGE_UNAVAILABLE.
    """

    def __init__(self, engine: AsyncEngine, what: str) -> None:
        self.engine, self._what = engine, what
        self.is_sqlite = engine.dialect.name == "sqlite"
        # SQLite's own waiting for its one writer sleeps and retries; within a process a queue is much faster.
        self._turn = asyncio.Semaphore(1 if self.is_sqlite else _WRITERS)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection for queries."""
        async with self._refusing(), asyncio.timeout(_DEADLINE_S), self.engine.connect() as connection:
            yield await connection.execution_options(argosy_reads=True)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """One transaction, committed at the end of the block and rolled back when an exception leaves it."""
        async with self._refusing(), asyncio.timeout(_DEADLINE_S), self._turn, self.engine.begin() as connection:
            yield connection

    async def close(self) -> None:
        """Closes the connections."""
        await self.engine.dispose()

    @asynccontextmanager
    async def _refusing(self) -> AsyncIterator[None]:
        try:
            yield
        except (IntegrityError, sqlalchemy.exc.DataError):
            raise
        except (DBAPIError, sqlalchemy.exc.TimeoutError, OSError) as error:  # OSError includes asyncio's TimeoutError
            kind = type(getattr(error, "orig", None) or error).__qualname__
            _log.warning("database_unreachable", database=self._what, type=kind)
            text = f"the {self._what} cannot be reached"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=1.0) from error


async def open_database(url: str, what: str, variable: str, prepare: Prepare) -> Database:
    """Opens a database, and lets `prepare` create what is missing in it, in one transaction.

    `what` names it in errors, `variable` where its URL comes from. Raises CannotStart in one line without a password.
    """
    address = _address(url, variable)
    shown = address.render_as_string(hide_password=True)
    if address.get_backend_name() == "sqlite":
        await asyncio.to_thread(_try_sqlite, address, what, variable)
    engine = _engine(address, variable)
    try:
        async with asyncio.timeout(_DEADLINE_S):
            await _prepared(engine, prepare)
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        await engine.dispose()
        raise CannotStart(f"cannot open the {what} {shown}: {_why(error)}") from None
    except CannotStart:
        await engine.dispose()
        raise
    return Database(engine, what)


async def _prepared(engine: AsyncEngine, prepare: Prepare) -> None:
    """Prepares it, again while SQLite is locked: it does not wait where two processes open a new file at once."""
    while True:
        try:
            async with engine.begin() as connection:
                return await prepare(connection)
        except sqlalchemy.exc.OperationalError as error:
            if "database is locked" not in str(error.orig):
                raise
        await asyncio.sleep(0.05)


def _address(url: str, variable: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        raise CannotStart(f"{variable} is no database URL like postgresql://USER@HOST/NAME") from None
    if address.drivername not in _DRIVERS:
        raise CannotStart(f"{variable} must begin with sqlite: or postgresql:, not {address.drivername}:")
    return address.set(drivername=_DRIVERS[address.drivername])


def _try_sqlite(address: URL, what: str, variable: str) -> None:
    """Raises CannotStart when the file cannot be opened; aiosqlite's thread would fail untidily."""
    if not address.database or address.database == ":memory:":
        raise CannotStart(f"{variable} must name a file, as sqlite:///PATH")
    try:
        with closing(sqlite3.connect(address.database, timeout=_CONNECT_S)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        raise CannotStart(f"cannot open the {what} {address.database}: {_why(error)}") from None


def _engine(address: URL, variable: str) -> AsyncEngine:
    is_sqlite = address.get_backend_name() == "sqlite"
    connect = {"timeout": _CONNECT_S} if is_sqlite else {"connect_timeout": _CONNECT_S}
    try:
        engine = create_async_engine(address, connect_args=connect, pool_pre_ping=not is_sqlite)
    except (ArgumentError, NoSuchModuleError) as error:
        raise CannotStart(f"{variable} cannot be used: {_why(error)}") from None
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


def _why(error: BaseException) -> str:
    """The driver's own words, in one line."""
    cause = getattr(error, "orig", None) or error
    text = " ".join(str(cause).split())
    return text[:200] or type(cause).__name__
