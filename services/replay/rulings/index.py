"""Rulings in the library: for lists of matches, and for what the transparency log does not have yet."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.kit.database import Database
from services.replay.rulings import files
from services.replay.rulings.files import Recorded
from services.replay.schema import rulings

Key = tuple[bytes, bytes]


async def store(database: Database, recorded: Sequence[Recorded]) -> None:
    """Notes rulings that are kept as files. Those that are noted already stay as they are."""
    if not recorded:
        return
    made: Any = (sqlite if database.is_sqlite else postgresql).insert(rulings)
    async with database.writing() as connection:
        await connection.execute(made.on_conflict_do_nothing(), [_row(one) for one in recorded])


async def to_log(database: Database, count: int) -> list[tuple[Key, bytes]]:
    """Rulings that the transparency log does not have, the oldest first: a key for `mark`, and the serialized one."""
    query = select(rulings.c.match, rulings.c.request, rulings.c.ruling).where(rulings.c.is_logged.is_(False))
    async with database.reading() as connection:
        found = await connection.execute(query.order_by(rulings.c.time_ms, rulings.c.request).limit(count))
        return [((bytes(row.match), bytes(row.request)), bytes(row.ruling)) for row in found]


async def mark(database: Database, keys: Iterable[Key]) -> None:
    """Says that the log has them."""
    wanted = list(keys)
    if wanted:
        async with database.writing() as connection:
            key = tuple_(rulings.c.match, rulings.c.request)
            await connection.execute(update(rulings).where(key.in_(wanted)).values(is_logged=True))


async def known(connection: AsyncConnection, matches: Sequence[bytes]) -> dict[bytes, tuple[bytes, int]]:
    """By match that has rulings: the serialized one by which it counts, b"" for none, and how many there are."""
    query = select(rulings.c.match, rulings.c.kind, rulings.c.ruling).where(rulings.c.match.in_(matches))
    found = dict[bytes, tuple[bytes, int]]()
    for row in await connection.execute(query.order_by(rulings.c.time_ms, rulings.c.request)):
        last, count = found.get(bytes(row.match), (b"", 0))
        found[bytes(row.match)] = bytes(row.ruling) if row.kind in files.CHANGING else last, count + 1
    return found


def _row(recorded: Recorded) -> dict[str, Any]:
    ruling = files.ruling_of(recorded)
    return {
        "match": ruling.match,
        "request": recorded.stored_request_id,
        "time_ms": ruling.rule_time_ms,
        "kind": ruling.kind,
        "ruling": recorded.ruling.ruling,
        "is_logged": False,
    }
