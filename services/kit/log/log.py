"""The client of the event log: appends, reads and follows histories."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any, Final

from services.kit.log import bots, checks, deadlines, ids, library, partitions
from services.kit.log.asking import ATTEMPTS, FunctionMissing, ask, ask_apart, refresh_cluster, restore_library
from services.kit.log.capacity import Capacity
from services.kit.log.checks import Store
from services.kit.log.entries import (
    FEW,
    PAGE,
    Append,
    Entry,
    Gone,
    Loaded,
    NewHead,
    Outcome,
    Snapshot,
    Unavailable,
)
from services.kit.log.feed import Feed
from services.kit.log.holdings import Holdings
from services.kit.log.invitations import Invitations
from services.kit.log.news import Following, OnNews
from services.kit.log.outcomes import Redirect
from services.kit.log.replies import entries_from, gone_from, version_from
from services.kit.log.servers import RedisSettings, Server, Servers
from services.kit.log.writer import OnPipeline, Writer

GONE_DAYS: Final = 30
_DAY_S: Final = 86_400


class EventLog:
    """The log of all matches. `open_log` makes one."""

    def __init__(
        self,
        settings: RedisSettings,
        servers: Servers,
        store: Store,
        group: asyncio.TaskGroup,
        on_pipeline: OnPipeline | None,
    ) -> None:
        self.store, self.servers = store, servers
        """What was found out about the store at the start, and who has which partition."""
        self.capacity = Capacity(servers, settings)
        self._settings, self._group, self._on_pipeline = settings, group, on_pipeline
        self._writers: dict[str, Writer] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._following = Following(self.servers, self._spawn, settings.redis_timeout_s)
        self.holdings = Holdings(servers, self._following)
        self.invitations = Invitations(servers)

    async def append(self, append: Append) -> Outcome:
        """Records the entry if the head is the one expected, together with its snapshot and deadline.

        It returns once the entry is on disk (and at the required replicas). A caller that is cancelled does not stop
        an append. Raises Unconfirmed when nobody knows whether it was recorded; Unavailable, StorageLow or
        BrokenHistory when it was not.
        """
        partition = partitions.partition_of(append.match)
        server, is_asking = self.servers.of(partition), False
        for _ in range(ATTEMPTS):
            try:
                answer = await self._writer(server).append(append, asking=is_asking)
            except FunctionMissing:
                await restore_library(server)
                continue
            except Unavailable:
                await refresh_cluster(self.servers)
                raise
            if not isinstance(answer, Redirect):
                return answer
            server, is_asking = self.servers.at(answer.host, answer.port), answer.asking
            if not is_asking:
                await self.servers.refresh()
                server = self.servers.of(partition)
        raise Unavailable("the store keeps moving this partition")

    async def read(self, match: bytes, after_version: int, count: int = PAGE) -> tuple[Entry, ...]:
        """Up to `count` (at most 256) entries after this version. Raises BrokenHistory, also where one is missing."""
        count = min(count, PAGE)
        entries = await self._read(ask, match, after_version, min(count, FEW))
        if len(entries) == FEW < count:
            entries += await self._read(ask_apart, match, after_version + FEW, count - FEW)
        return entries

    async def load(self, match: bytes) -> Loaded:
        """The snapshot, if it fits the history, and up to 16 entries after it, in one round trip."""
        keys = partitions.keys_of(match)
        names = (keys.history, keys.snap, keys.frozen, keys.gone)
        fields, rows, frozen, gone = await self._call(match, library.LOAD, names, FEW)
        snapshot = Snapshot(int(fields[0]), *(bytes(field or b"") for field in fields[1:])) if fields else None
        entries = entries_from(match, snapshot.version if snapshot else 0, rows)
        tombstone = gone_from(gone) if gone and not entries and not snapshot else None
        return Loaded(snapshot, entries, len(entries) < FEW, frozen is not None, tombstone)

    async def head(self, match: bytes) -> NewHead | None:
        """Version and digest of the last entry; None without a history. Raises BrokenHistory."""
        key = partitions.keys_of(match).history
        rows = await self._ask(match, "XREVRANGE", key, "+", "-", "COUNT", 1)
        if not rows:
            return None
        (last,) = entries_from(match, version_from(match, rows[0][0]) - 1, rows)
        return NewHead(match, last.version, last.digest)

    async def gone(self, match: bytes) -> Gone | None:
        """The head of a match that left the store within the last 30 days."""
        tombstone = await self._ask(match, "GET", partitions.keys_of(match).gone)
        return gone_from(tombstone) if tombstone else None

    async def write_snapshot(self, match: bytes, snapshot: Snapshot) -> bool:
        """Whether it was written: not when the history does not bear it out, or a later one is there."""
        keys, parts = partitions.keys_of(match), (snapshot.state, snapshot.prefixes, snapshot.extra)
        arguments = (snapshot.version, snapshot.digest, *parts)
        reply = await self._call(match, library.SNAPSHOT, (keys.history, keys.snap), *arguments)
        return bool(reply[0] == b"OK")

    async def freeze(self, match: bytes, version: int) -> None:
        """Freezes a match whose chain was found broken at this version; it stays as it is until a repair."""
        await self._ask(match, "SET", partitions.keys_of(match).frozen, f"{version}/chain", "NX")

    async def thaw(self, head: NewHead) -> bool:
        """Lets a match go on after a repair has verified it up to this head; false when that is not its head."""
        keys = partitions.keys_of(head.match)
        reply = await self._call(head.match, library.THAW, (keys.history, keys.frozen), head.version, head.digest)
        return bool(reply[0] == b"OK")

    async def retire(self, head: NewHead) -> bool:
        """Removes a match whose archive, up to this head, was read back; its tombstone stays for 30 days.

        False, and nothing is removed, when the head is another, the match is frozen, or it never was. Idempotent.
        """
        keys = partitions.keys_of(head.match)
        names = (keys.history, keys.frozen, keys.gone, keys.snap, keys.due)
        arguments = (ids.to_text(head.match), head.version, head.digest, GONE_DAYS * _DAY_S)
        reply = await self._call(head.match, library.RETIRE, names, *arguments)
        return bool(reply[0] == b"OK")

    async def due(self, now_ms: int, count: int = 100) -> list[bytes]:
        """Matches whose deadline has passed, up to `count` of each partition, the longest due first."""
        return await deadlines.due(self.servers, now_ms, count)

    async def mark_bots(self, match: bytes, now_ms: int) -> None:
        """Says that a match which is about to start has seats for hosted bots. Raises Unavailable or StorageLow."""
        await bots.mark(self.servers, match, now_ms)

    async def unmark_bots(self, match: bytes) -> None:
        """Says that a match needs no bots any more. Raises Unavailable."""
        await bots.unmark(self.servers, match)

    async def marked_bots(self, since_ms: int) -> list[tuple[bytes, int]]:
        """Matches marked for bots at or after this time, with it. They may be over, or not have begun yet."""
        return await bots.marked(self.servers, since_ms)

    @contextlib.contextmanager
    def follow(self, match: bytes, on_news: OnNews) -> Iterator[None]:
        """Calls `on_news` with each version recorded by anybody, and with None whenever some may have been missed.

        The first None comes once the subscription stands. News come late, twice or never: read the history by them.
        """
        channel = partitions.keys_of(match).history.encode()
        self._following.start(channel, on_news)
        try:
            yield
        finally:
            self._following.end(channel, on_news)

    def feed(self, group: str, consumer: str) -> Feed:
        """The feeds of all partitions for one consumer of a group."""
        return Feed(self.servers, group, consumer)

    async def stop(self) -> None:
        """Lets the appends in flight finish and ends the tasks. `open_log` calls it."""
        await asyncio.gather(*(writer.drain() for writer in self._writers.values()))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(
        self, way: Callable[..., Awaitable[Any]], match: bytes, after_version: int, count: int
    ) -> tuple[Entry, ...]:
        key, partition = partitions.keys_of(match).history, partitions.partition_of(match)
        rows = await way(self.servers, partition, "XRANGE", key, f"0-{after_version + 1}", "+", "COUNT", count)
        return entries_from(match, after_version, rows)

    async def _call(self, match: bytes, function: str, keys: tuple[str, ...], *arguments: Any) -> Any:
        return await self._ask(match, "FCALL", function, len(keys), *keys, *arguments)

    async def _ask(self, match: bytes, *command: Any) -> Any:
        return await ask(self.servers, partitions.partition_of(match), *command)

    def _writer(self, server: Server) -> Writer:
        if server.address not in self._writers:
            writer = self._writers[server.address] = Writer(server, self._settings, self._on_pipeline)
            self._spawn(writer.run())
        return self._writers[server.address]

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(self._group.create_task(work))


@contextlib.asynccontextmanager
async def open_log(settings: RedisSettings, on_pipeline: OnPipeline | None = None) -> AsyncIterator[EventLog]:
    """The log, checked and ready. Raises CannotStart's kinds, each with one clear line.

    What else is raised within leaves as a group, since the log's own tasks may fail as well.
    `on_pipeline` is called with the new heads of every pipeline, before its callers are answered.
    """
    servers = Servers(settings)
    try:
        store = await checks.check_store(servers, settings)
        async with asyncio.TaskGroup() as group:
            log = EventLog(settings, servers, store, group, on_pipeline)
            try:
                yield log
            finally:
                await log.stop()
    finally:
        await servers.close()
