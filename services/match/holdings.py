"""Who holds seats in which matches, told to the log's index (services/kit/log/holdings.py), for who follows its own."""

import asyncio
import time
from collections.abc import Iterable, Mapping

from services.kit.errors import Reason, Refused
from services.kit.log.entries import StorageLow, Unavailable
from services.match.seating import Taken
from services.match.table import Table
from services.match.tables import Tables


def people(taken: Iterable[Taken]) -> set[bytes]:
    """The players among those seated: bots have none."""
    return {seat.player for seat in taken if not seat.bot_policy}


async def mark(tables: Tables, match: bytes, players: Iterable[bytes], tickets: Mapping[bytes, str]) -> None:
    """Marks a match for players who are about to be seated, so that none of theirs is ever overlooked."""
    now, holdings = int(time.time() * 1000), tables.log.holdings
    marks = [holdings.mark(player, match, now, tickets.get(player, "")) for player in players]
    try:
        await asyncio.gather(*marks)
    except (Unavailable, StorageLow):
        raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, "the store cannot be reached", retry_s=0.5) from None


def tell(tables: Tables, players: Iterable[bytes]) -> None:
    """Tells, some time soon, whoever follows these players; who misses it looks again by itself."""
    for player in players:
        tables.group.create_task(_tell(tables, player))


def release(tables: Tables, table: Table) -> None:
    """Unmarks a match that is over, some time soon; a mark that stays is dropped by who reads the index."""
    for player in {held.player for held in table.held if held is not None and not held.bot_policy}:
        tables.group.create_task(_drop(tables, player, table))


async def _tell(tables: Tables, player: bytes) -> None:
    try:
        await tables.log.holdings.tell(player)
    except (Unavailable, StorageLow):
        return


async def _drop(tables: Tables, player: bytes, table: Table) -> None:
    try:
        await tables.log.holdings.drop(player, table.match, table.record_time_ms)
    except (Unavailable, StorageLow):
        return
