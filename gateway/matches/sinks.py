"""The bounded queue of what one stream has yet to send."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
ROOM = 128
"""Items that may wait in one sink before its followers read the history instead."""


class Sink(Generic[Item]):
    """`put` never waits; who finds the sink full must stop by itself and wait for `room`.

    `owner` is the task that serves the stream; `last_taken` says when it last took an item (monotonic seconds).
    """

    def __init__(self) -> None:
        self.owner = asyncio.current_task()
        self.last_taken = time.monotonic()
        self._items: deque[Item] = deque()
        self._filled, self._room = asyncio.Event(), asyncio.Event()
        self._closing: BaseException | None = None
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether the reader is behind."""
        return len(self._items) >= ROOM

    def put(self, item: Item) -> None:
        """Adds an item."""
        if not self._items:
            self.last_taken = time.monotonic()
        self._items.append(item)
        self._filled.set()

    def close(self, reason: BaseException | None = None) -> None:
        """Ends the stream once everything in it was taken, with this exception."""
        self._closing, self._is_closed = self._closing or reason, True
        self._filled.set()

    async def room(self) -> None:
        """Waits until the sink is no longer full."""
        while self.is_full:
            self._room.clear()
            await self._room.wait()

    async def __aiter__(self) -> AsyncIterator[Item]:
        """The items as they come."""
        while True:
            while self._items:
                item = self._items.popleft()
                self.last_taken = time.monotonic()
                self._room.set()
                yield item
            if self._is_closed:
                if self._closing is not None:
                    raise self._closing
                return
            self._filled.clear()
            await self._filled.wait()
