"""Whether the store has space for more matches; those under way need what is left.

New matches and tickets are refused while little is left, everything else goes on until the store itself refuses.
"""

import asyncio
import shutil
import time
from dataclasses import dataclass
from typing import Final

import structlog
from redis.exceptions import RedisError

from services.kit.errors import Reason, Refused
from services.kit.log.servers import NETWORK, RedisSettings, Server, Servers
from services.kit.waiting import is_set_within

_LOOK_S: Final = 2.0
_BACK: Final = 0.05
"""So much of the memory must be free again, and so much more of the disk, before matches may begin: no flutter."""
_MIB: Final = 1024 * 1024
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Found:
    """The share of its memory that the fullest server uses (0 without a limit), and the disk's free MiB, if watched."""

    used: float
    free_mib: float | None


class Capacity:
    """How full the store is, as last seen."""

    def __init__(self, servers: Servers, settings: RedisSettings) -> None:
        self._servers, self._settings = servers, settings
        self._looking, self._looked_at = asyncio.Lock(), float("-inf")
        self.found, self.is_low = Found(0.0, None), False

    async def check(self) -> None:
        """Refuses STORAGE_LOW while there is little space. It asks the store at most every two seconds."""
        async with self._looking:
            if time.monotonic() - self._looked_at > _LOOK_S:
                await self._look()
        if self.is_low:
            text = "the store has little room left: no new matches for now"
            raise Refused(Reason.ERROR_REASON_STORAGE_LOW, text, retry_s=10.0)

    async def watch_over(self, draining: asyncio.Event) -> None:
        """A task of a process: looks every two seconds, so that log and figures tell without anybody asking."""
        while not draining.is_set():
            async with self._looking:
                await self._look()
            await is_set_within(draining, _LOOK_S)

    def gauges(self) -> dict[str, float]:
        """For Prometheus."""
        told = {"store_used_share": self.found.used, "store_is_low": float(self.is_low)}
        return told if self.found.free_mib is None else {**told, "store_free_bytes": self.found.free_mib * _MIB}

    async def _look(self) -> None:
        self._looked_at = time.monotonic()
        try:
            used = [await _used(server) for server in self._servers.all]
        except (*NETWORK, RedisError):
            return  # a store that does not answer refuses by itself
        self.found = Found(max(used), self._free_mib())
        was, self.is_low = self.is_low, self._is_low()
        if was != self.is_low:
            tell, event = (_log.warning, "store_low") if self.is_low else (_log.info, "store_has_room")
            tell(event, used_share=round(self.found.used, 3), free_mib=self.found.free_mib)

    def _is_low(self) -> bool:
        back = self.is_low  # once low, more must be free again
        full = self._settings.redis_full - (_BACK if back else 0.0)
        least = self._settings.redis_free_mib * (1 + _BACK if back else 1)
        return self.found.used >= full or (self.found.free_mib is not None and self.found.free_mib < least)

    def _free_mib(self) -> float | None:
        """Free on the disk of the store, where that is this machine's."""
        folder = self._settings.redis_folder
        if folder is None:
            return None
        try:
            return shutil.disk_usage(folder).free / _MIB
        except OSError:  # not there: nothing is known of its disk
            return None


async def _used(server: Server) -> float:
    """The share of the server's memory that counts against its limit; 0 without a limit."""
    info = await server.client.info("memory")
    limit = int(info.get("maxmemory", 0))
    used = int(info["used_memory"]) - int(info.get("mem_not_counted_for_evict", 0))
    return used / limit if limit else 0.0
