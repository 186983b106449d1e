"""The book of who read what of a match, as one process keeps it before it is on disk (argosy.v1.Access).

A privileged read is written before it is answered, or refused. Others never wait: they are written together, every
second, and what a watch has seen since at least every ten. Where more come than can be held, the number is kept of
those that were dropped. A process that is killed loses what it noted in its last second.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager

import structlog

from services.kit.clock import now_ms
from services.kit.errors import Refused
from services.kit.waiting import is_set_within
from services.match.accesses import Access

Write = Callable[[Sequence[Access], int], Awaitable[None]]
"""Puts accesses on disk as they stand now, and how many were dropped since. Raises Refused where it cannot."""
FLUSH_S = 1.0
_RENEW_S, _MERGED_S = 10.0, 60.0
_MOST, _BATCH, _LAST_TRIES = 50_000, 1000, 3
_log = structlog.get_logger()


class Book:
    """Accesses of one process. Register `run` as a task of it."""

    def __init__(self, write: Write, most: int = _MOST) -> None:
        self._write, self._most = write, most
        self._open: dict[bytes, Access] = {}
        self._written: dict[bytes, tuple[int, int, int]] = {}  # as last written: last version, count, end
        self._due = dict[bytes, Access]()
        self._merging: dict[Hashable, Access] = {}
        self._lost, self._lost_ever = 0, 0
        self._renewed = time.monotonic()
        self._writing = asyncio.Lock()

    def counts(self) -> dict[tuple[str, str], int]:
        """Accesses that could not be kept, for Prometheus."""
        return {("accesses", "lost"): self._lost_ever}

    async def read(self, access: Access) -> None:
        """Notes one read; waits only where it is privileged. Refuses SERVICE_UNAVAILABLE, STORAGE_UNAVAILABLE then."""
        access.end_ms, key = access.last_ms, _key(access)
        known = self._merging.get(key)
        if access.privileged and (known is None or access.last_version):  # a list again tells nothing new
            await self._write_now(access)
            if not access.last_version:
                self._merging[key], self._written[access.id] = access, _state(access)
            return
        if known is None:
            if self._has_room():
                self._merging[key] = self._due[access.id] = access
            return
        known.count += 1
        known.first_version = min(known.first_version, access.first_version)
        known.last_version = max(known.last_version, access.last_version)
        known.last_ms = known.end_ms = access.last_ms

    @asynccontextmanager
    async def watching(self, access: Access) -> AsyncIterator[Callable[[int], None]]:
        """Notes a watch for as long as the block lasts; gives what is to be told of each version seen."""
        if access.privileged:
            await self._write_now(access)
        is_kept = access.privileged or self._has_room()

        def see(version: int) -> None:
            access.last_version = version
            if not access.first_version:
                access.first_version = version

        if is_kept:
            self._open[access.id] = self._due[access.id] = access
        try:
            yield see
        finally:
            if is_kept:
                access.last_ms = access.end_ms = now_ms()
                del self._open[access.id]
                self._due[access.id] = access

    async def run(self, draining: asyncio.Event) -> None:
        """Writes what was noted, every second until the process drains; `close` writes what is left."""
        while not await is_set_within(draining, FLUSH_S):
            await self.flush()

    async def close(self) -> None:
        """Writes what is left, when nobody reads any more."""
        for _ in range(_LAST_TRIES):
            if await self.flush():
                return
            await asyncio.sleep(0.2)
        _log.error("accesses_lost", count=len(self._due) + self._lost)

    async def flush(self) -> bool:
        """Writes what is due; whether all of it could be written. What could not is due again."""
        self._renew()
        async with self._writing:
            while self._due or self._lost:
                batch = [access for access, _ in zip(self._due.values(), range(_BATCH), strict=False)]
                if not await self._try(batch):
                    return False
        return True

    async def _try(self, batch: Sequence[Access]) -> bool:
        states, lost = [_state(access) for access in batch], self._lost
        for access in batch:
            del self._due[access.id]
        self._lost = 0
        try:
            await self._write(batch, lost)
        except Refused as refused:
            _log.warning("accesses_wait", count=len(batch), code=refused.name)
            self._lost += lost
            self._due = {access.id: access for access in batch} | self._due
            return False
        for access, state in zip(batch, states, strict=True):
            if access.id in self._open or not access.end_ms or self._is_merging(access):
                self._written[access.id] = state
            else:
                self._written.pop(access.id, None)
        return True

    def _renew(self) -> None:
        """Every ten seconds: watches that went on are due, and equal reads of a minute are one no longer."""
        now = time.monotonic()
        if now - self._renewed < _RENEW_S:
            return
        self._renewed, moment = now, now_ms()
        for access in self._open.values():
            if self._written.get(access.id) != _state(access):
                access.last_ms = moment
                self._due[access.id] = access
        for key, access in tuple(self._merging.items()):
            if self._written.get(access.id) != _state(access):
                self._due[access.id] = access
            if moment - access.begin_ms > _MERGED_S * 1000:
                del self._merging[key]
                if access.id not in self._due:
                    self._written.pop(access.id, None)

    def _is_merging(self, access: Access) -> bool:
        return self._merging.get(_key(access)) is access

    async def _write_now(self, access: Access) -> None:
        await self._write((access,), 0)

    def _has_room(self) -> bool:
        """Whether one more can be held; else it is counted as lost."""
        if len(self._open) + len(self._merging) + len(self._due) < self._most:
            return True
        if not self._lost:
            _log.error("accesses_lost")
        self._lost += 1
        self._lost_ever += 1
        return False


def _state(access: Access) -> tuple[int, int, int]:
    return access.last_version, access.count, access.end_ms


def _key(access: Access) -> Hashable:
    who, how = (access.player, access.key), (access.opened, access.live, access.privileged, access.reason)
    return who, access.match, access.method, tuple(access.seats), how
