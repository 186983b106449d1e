"""Live news of matches: sharded pub/sub on the histories' keys, one connection per server for all of them.

News may be lost. A follower is told None whenever it may have been, and reads what is missing: versions are dense.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import hiredis
from redis.exceptions import MovedError

from services.kit.log import partitions
from services.kit.log.conversation import Conversation
from services.kit.log.entries import Unavailable
from services.kit.log.servers import NETWORK, Server, Servers
from services.kit.waiting import is_set_within

OnNews = Callable[[int | None], None]
"""Gets the version that was recorded, or None: news may have been missed, read the history. It must not block."""

_SILENT_PINGS: Final = 2.5  # so long without even a pong: the connection is dead
_PAUSE_S: Final = 0.2


class News:
    """The subscriptions of this process at one server."""

    def __init__(self, server: Server, on_moved: Callable[[], Awaitable[None]], ping_s: float) -> None:
        self._server, self._on_moved, self._ping_s, self._heard = server, on_moved, ping_s, 0.0
        self._followers: dict[bytes, list[OnNews]] = {}
        self._subscribed: set[bytes] = set()
        self._leaving: Counter[bytes] = Counter()
        self._changed: set[bytes] = set()
        self._wake, self._look = asyncio.Event(), asyncio.Event()
        self._failure: Exception | None = None

    def follow(self, channel: bytes, on_news: OnNews) -> None:
        """Adds a follower; it is told None as soon as news cannot be missed any more."""
        self._followers.setdefault(channel, []).append(on_news)
        if channel in self._subscribed:
            on_news(None)
        self._change(channel)

    def leave(self, channel: bytes, on_news: OnNews) -> None:
        """Removes a follower; the last one ends the subscription."""
        followers = self._followers.get(channel, [])
        if on_news in followers:
            followers.remove(on_news)
        if not followers:
            self._followers.pop(channel, None)
            self._change(channel)

    async def run(self) -> None:
        """Keeps the subscriptions until cancelled."""
        while True:
            while not self._followers:  # nobody asks: a server that has left the cluster is not asked for ever
                self._wake.clear()
                await self._wake.wait()
            try:
                await self._serve()
            except* NETWORK:
                await asyncio.sleep(_PAUSE_S)
                await self._on_moved()

    async def _serve(self) -> None:
        self._look.clear()
        self._failure = None
        line = await self._server.converse(self._hear, self._fail)
        try:
            await self._converse(line)
        finally:
            await line.close()

    async def _converse(self, line: Conversation) -> None:
        self._heard = asyncio.get_running_loop().time()
        self._subscribed.clear()
        self._leaving.clear()
        self._changed = set(self._followers)
        self._wake.set()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._ask(line))
            group.create_task(self._look_after())

    def _change(self, channel: bytes) -> None:
        self._changed.add(channel)
        self._wake.set()

    async def _ask(self, line: Conversation) -> None:
        while True:
            commands = self._requests() or [("PING",)]
            line.send(b"".join(map(hiredis.pack_command, commands)))
            self._wake.clear()
            if self._changed:
                continue
            await is_set_within(self._wake, self._ping_s)
            if asyncio.get_running_loop().time() - self._heard > _SILENT_PINGS * self._ping_s:
                raise ConnectionError("the server has fallen silent")

    def _requests(self) -> list[tuple[Any, ...]]:
        requests: list[tuple[Any, ...]] = []
        for channel in self._changed:
            if channel in self._followers and channel not in self._subscribed:
                requests.append(("SSUBSCRIBE", channel))
                self._subscribed.add(channel)
            elif channel not in self._followers and channel in self._subscribed:
                requests.append(("SUNSUBSCRIBE", channel))
                self._subscribed.discard(channel)
                self._leaving[channel] += 1
        self._changed = set()
        return requests

    async def _look_after(self) -> None:
        """Raises why there is no more news; looks where the partitions are when some may have moved."""
        while True:
            await self._look.wait()
            self._look.clear()
            if self._failure is not None:
                raise self._failure
            await self._on_moved()

    def _hear(self, reply: Any) -> None:
        self._heard = asyncio.get_running_loop().time()
        if isinstance(reply, MovedError):
            self._look.set()
        elif isinstance(reply, Exception):
            self._fail(ConnectionError(str(reply)))
        elif reply[0] == b"smessage":
            self._tell(reply[1], int(reply[2]))
        elif reply[0] == b"ssubscribe":
            self._tell(reply[1], None)
        elif reply[0] == b"sunsubscribe":
            self._hear_left(reply[1])

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._look.set()

    def _hear_left(self, channel: bytes) -> None:
        if self._leaving[channel]:
            self._leaving[channel] -= 1
            return
        # Nobody here asked for it: the slot has moved to another server.
        self._subscribed.discard(channel)
        self._look.set()

    def _tell(self, channel: bytes, version: int | None) -> None:
        for on_news in tuple(self._followers.get(channel, ())):
            on_news(version)


class Following:
    """The followers of this process, each at the server that has its match."""

    def __init__(self, servers: Servers, spawn: Callable[[Coroutine[Any, Any, None]], None], ping_s: float) -> None:
        self._servers, self._spawn, self._ping_s = servers, spawn, ping_s
        self._news: dict[str, News] = {}
        self._followed: dict[bytes, list[tuple[OnNews, News]]] = {}

    def start(self, channel: bytes, on_news: OnNews) -> None:
        """Begins to tell a follower."""
        news = self._news_of(channel)
        self._followed.setdefault(channel, []).append((on_news, news))
        news.follow(channel, on_news)

    def end(self, channel: bytes, on_news: OnNews) -> None:
        """Stops telling a follower that was begun."""
        followed = self._followed[channel]
        index = next(i for i, (other, _) in enumerate(followed) if other is on_news)
        _, news = followed.pop(index)
        news.leave(channel, on_news)
        if not followed:
            del self._followed[channel]

    async def rehome(self) -> None:
        """Moves followers to the servers that have their partitions now."""
        with contextlib.suppress(Unavailable):
            await self._servers.refresh()
        for channel, followed in list(self._followed.items()):
            for on_news, news in list(followed):
                if self._news_of(channel) is not news:
                    self.end(channel, on_news)
                    self.start(channel, on_news)

    def _news_of(self, channel: bytes) -> News:
        server = self._servers.of(partitions.partition_of_key(channel))
        if server.address not in self._news:
            news = self._news[server.address] = News(server, self.rehome, self._ping_s)
            self._spawn(news.run())
        return self._news[server.address]
