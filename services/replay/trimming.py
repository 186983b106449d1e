"""Drops from the feeds what every group has read."""

import asyncio
from collections.abc import Sequence

import structlog

from services.kit.log.entries import StorageLow, Unavailable
from services.kit.log.feed import GroupMissing, trim
from services.kit.log.servers import Servers
from services.kit.waiting import is_set_within

_log = structlog.get_logger()


class Trimmer:
    """Trims the feeds of some partitions every `every_s`, once all groups that must read them exist."""

    def __init__(self, servers: Servers, homes: range, groups: Sequence[str], every_s: float) -> None:
        self._servers, self._homes, self._groups, self._every_s = servers, homes, groups, every_s

    async def run(self, draining: asyncio.Event) -> None:
        """Trims until the process drains."""
        while not draining.is_set():
            try:
                dropped = sum([await trim(self._servers, home, self._groups) for home in self._homes])
                _log.debug("feed_trimmed", dropped=dropped)
            except GroupMissing as missing:
                _log.warning("feed_not_trimmed", problem=str(missing))
            except (Unavailable, StorageLow) as error:
                _log.warning("feed_not_trimmed", problem=type(error).__qualname__)
            await is_set_within(draining, self._every_s)
