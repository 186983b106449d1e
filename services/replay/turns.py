"""Whose turn it is to read: of all processes on one library, one at a time has a partition."""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import sqlalchemy
import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.kit.database import Database

Lock = Callable[[], Awaitable[bool]]
_LOCK: Final = 0x7475  # the class of the locks on partitions
LOG: Final = range(256, 257)
"""Stands for the transparency log, as if it were one more partition."""
_POLL_S, _PING_S, _DEADLINE_S = 0.5, 2.0, 10.0
_log = structlog.get_logger()


class TurnLost(Exception):
    """The database no longer holds our locks: another process may read now."""


@asynccontextmanager
async def turn(database: Database, homes: range, draining: asyncio.Event) -> AsyncIterator[bool]:
    """Waits for the turn in all these partitions and has it within; false when the process drains first.

    With SQLite a lock on a range of bytes of a file beside it, of which a process may have one at a time; with Postgres
    locks of a session. Either ends with the process. The block is cancelled, and TurnLost raised, when a session ends.
    """
    if database.is_sqlite:
        suffix = ".log.lock" if homes == LOG else ".lock"
        async with _file_turn(Path(str(database.engine.url.database) + suffix), homes, draining) as is_ours:
            yield is_ours
        return
    async with asyncio.TaskGroup() as group, database.engine.connect() as connection:
        is_ours = await _until(lambda: _lock_session(connection, homes), draining)
        watching = group.create_task(_watch(connection))
        try:
            yield is_ours
        finally:
            watching.cancel()
            await asyncio.wait([watching])
            await connection.invalidate()  # a session that went back to the pool would keep its locks


@asynccontextmanager
async def _file_turn(path: Path, homes: range, draining: asyncio.Event) -> AsyncIterator[bool]:
    with path.open("w") as file:

        async def lock() -> bool:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, len(homes), homes.start)  # a byte for each partition
            except (BlockingIOError, PermissionError):  # systems differ in what they call a lock that is held
                return False
            return True

        yield await _until(lock, draining)


async def _until(lock: Lock, draining: asyncio.Event) -> bool:
    is_told = False
    while not draining.is_set():
        if await lock():
            return True
        if not is_told:
            _log.info("turn_awaited")
            is_told = True
        await asyncio.sleep(_POLL_S)
    return False


async def _lock_session(connection: AsyncConnection, homes: range) -> bool:
    """Takes all locks, or none."""
    async with asyncio.timeout(_DEADLINE_S):
        for home in homes:
            asked = sqlalchemy.select(sqlalchemy.func.pg_try_advisory_lock(_LOCK, home))
            if not (await connection.execute(asked)).scalar():
                await connection.execute(sqlalchemy.select(sqlalchemy.func.pg_advisory_unlock_all()))
                await connection.commit()
                return False
        await connection.commit()
    return True


async def _watch(connection: AsyncConnection) -> None:
    while True:
        await asyncio.sleep(_PING_S)
        try:
            async with asyncio.timeout(_DEADLINE_S):
                await connection.execute(sqlalchemy.select(1))
                await connection.commit()
        except (SQLAlchemyError, OSError) as error:
            raise TurnLost from error
