import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from services.kit.log.log import EventLog, open_log
from services.kit.log.news import Following
from services.kit.log.servers import RedisSettings
from services.matchmaking import library
from services.matchmaking.queues import Queues
from tests.servers import Store

KEPT_MS = 3_000  # long enough to be read on a machine that is busy, short enough to be waited for


@pytest.fixture
async def log(any_store: Store) -> AsyncIterator[EventLog]:
    """The log on each kind of server in turn."""
    async with open_log(RedisSettings(redis_url=any_store.url)) as opened:
        yield opened


@pytest.fixture
async def queues(log: EventLog) -> AsyncIterator[Queues]:
    """The tickets of that store; ended ones are kept for a moment."""
    await library.load(log.servers)
    async with background() as spawn:
        yield Queues(log.servers, Following(log.servers, spawn, 10.0), KEPT_MS)


@contextlib.asynccontextmanager
async def background() -> AsyncIterator[Any]:
    """Starts tasks, and cancels them at its end."""
    tasks: list[asyncio.Task[None]] = []

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        tasks.append(asyncio.create_task(work))

    try:
        yield spawn
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
