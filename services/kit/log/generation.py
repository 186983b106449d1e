"""Notices that the store under a running process is not the one it began with: an older copy was put back."""

import asyncio
from typing import Final

import structlog
from redis.exceptions import RedisError

from services.kit.log import partitions
from services.kit.log.log import EventLog
from services.kit.log.servers import NETWORK
from services.kit.waiting import is_set_within

_LOOK_S: Final = 2.0
_log = structlog.get_logger()


class Generation:
    """The generation of the store as it was at the start. Register `watch_over` as a task of the process."""

    def __init__(self, log: EventLog) -> None:
        self._log, self._begun = log, log.store.generation

    async def watch_over(self, draining: asyncio.Event) -> None:
        """Lets the process drain and end when the generation is another: what it keeps of matches is worth nothing.

        Whoever runs it starts it again; it then reads what is there now.
        """
        while not draining.is_set():
            if not await is_set_within(draining, _LOOK_S) and await self._is_another():
                draining.set()

    async def _is_another(self) -> bool:
        try:
            found = await self._log.servers.of(0).client.hget(partitions.STORE_KEY, "generation")
        except (*NETWORK, RedisError):  # it is away, or loading
            return False
        generation = int(found or 0)
        if generation == self._begun:
            return False
        _log.error("store_was_put_back", generation=generation, begun_with=self._begun)
        return True
