"""Seats that the platform's bots play: which matches have them, told to the log's index (services/kit/log/bots.py)."""

import time
from collections.abc import Iterable

from services.kit.errors import Reason, Refused
from services.kit.log.entries import StorageLow, Unavailable
from services.match.table import Held, Table
from services.match.tables import Tables


async def mark(tables: Tables, table: Table, held: Iterable[Held | None]) -> None:
    """Marks a match that is about to start with bots among these seats, so that no such match is ever overlooked."""
    if not _has_bots(held):
        return
    try:
        await tables.log.mark_bots(table.match, int(time.time() * 1000))
    except (Unavailable, StorageLow):
        raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, "the store cannot be reached", retry_s=0.5) from None


def release(tables: Tables, table: Table) -> None:
    """Unmarks a match that is over, some time soon; a mark that stays is found and dropped by who reads the index."""
    if _has_bots(table.held):
        tables.group.create_task(_unmark(tables, table))


async def _unmark(tables: Tables, table: Table) -> None:
    try:
        await tables.log.unmark_bots(table.match)
    except (Unavailable, StorageLow):
        return


def _has_bots(held: Iterable[Held | None]) -> bool:
    return any(seat is not None and seat.bot_policy for seat in held)
