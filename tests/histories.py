"""Made-up histories for tests of the log."""

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from services.kit.log.entries import Append, NewHead
from services.kit.log.log import EventLog


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Match:
    """A match whose entries are made up: each digest is random, since nothing here looks into the chain."""

    def __init__(self) -> None:
        self.id = os.urandom(16)
        self.digests = [b""]

    @property
    def head(self) -> NewHead:
        return NewHead(self.id, len(self.digests) - 1, self.digests[-1])

    def next(self, **changes: Any) -> Append:
        """The append that would come next, with changes."""
        version = len(self.digests) - 1
        made = Append(self.id, version, self.digests[-1], os.urandom(32), b"entry %d" % version, now_ms(), 0)
        return replace(made, **{"stored_request_id": os.urandom(16), "request_digest": os.urandom(32), **changes})

    async def grow(self, log: EventLog, count: int) -> None:
        """Appends entries."""
        for _ in range(count):
            append = self.next()
            answer = await log.append(append)
            self.digests.append(append.digest)
            assert getattr(answer, "version", None) == len(self.digests) - 1, answer


class Heard:
    """What a follower was told."""

    def __init__(self) -> None:
        self.news: list[int | None] = []
        self._changed = asyncio.Event()

    def __call__(self, version: int | None) -> None:
        self.news.append(version)
        self._changed.set()

    async def until(self, is_enough: Callable[[list[int | None]], bool]) -> None:
        async with asyncio.timeout(60):
            while not is_enough(self.news):
                self._changed.clear()
                await self._changed.wait()
