"""The bounded queue of what one stream has yet to send."""

import asyncio
import time
from collections import deque
from typing import Generic, TypeVar

Item = TypeVar("Item")
ROOM = 128
"""Items that may wait in one sink before its followers read the history instead."""


class Sink(Generic[Item]):
    """`put` never waits; who finds the sink full must stop by itself and wait for `room`.

    `owner` is the task that serves the stream; `last_taken` says when it last took an item (monotonic seconds).
    """

    def __init__(self) -> None:
        self.owner, self._loop = asyncio.current_task(), asyncio.get_running_loop()
        self.last_taken = time.monotonic()
        self._items: deque[Item] = deque()
        self._room = asyncio.Event()
        self._waiting: asyncio.Future[None] | None = None  # of the reader, while there is nothing to take
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
        self._wake()

    def close(self, reason: BaseException | None = None) -> None:
        """Ends the stream once everything in it was taken, with this exception."""
        self._closing, self._is_closed = self._closing or reason, True
        self._wake()

    async def room(self) -> None:
        """Waits until the sink is no longer full."""
        while self.is_full:
            self._room.clear()
            await self._room.wait()

    def __aiter__(self) -> "Sink[Item]":
        """The items as they come, for one reader."""
        return self

    async def __anext__(self) -> Item:
        while not self._items:
            if self._is_closed:
                raise self._closing or StopAsyncIteration
            self._waiting = self._loop.create_future()
            await self._waiting
        item = self._items.popleft()
        self.last_taken = time.monotonic()
        self._room.set()
        return item

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
