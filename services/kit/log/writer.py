"""Appends to one server: one pipeline at a time, with all that arrived meanwhile in the next.

Under `appendfsync always` all commands of a pipeline share one flush; writing small batches one after another was
measured five times slower (RELIABILITY.md).
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import hiredis
from redis.exceptions import AskError, BusyLoadingError, MovedError, ResponseError

from services.kit.log import ids, library, partitions
from services.kit.log.asking import meaning
from services.kit.log.entries import (
    Append,
    Appended,
    BrokenHistory,
    Clock,
    Conflict,
    Diverged,
    Duplicate,
    Frozen,
    NewHead,
    Outcome,
    Pipeline,
    RequestIdReused,
    Unavailable,
    Unconfirmed,
)
from services.kit.log.replies import gone_from
from services.kit.log.servers import NETWORK, RedisSettings, Server

_MOST: Final = 512  # appends in one pipeline
_ASKING: Final = b"*1\r\n$6\r\nASKING\r\n"
_PAUSE_S: Final = 0.05  # after a connection that failed

_BY_VERSION: Final[dict[bytes, type[Duplicate | RequestIdReused | Conflict | Diverged]]] = {
    b"DUPLICATE": Duplicate,
    b"REQUEST_ID_REUSED": RequestIdReused,
    b"CONFLICT": Conflict,
    b"DIVERGED": Diverged,
}

OnPipeline = Callable[[Pipeline], None]


@dataclass(frozen=True, slots=True)
class Redirect:
    """Nothing was recorded: another server has the partition, or (`asking`) is taking it over."""

    host: str
    port: int
    asking: bool


@dataclass(slots=True)
class _Job:
    append: Append
    packed: bytes
    asking: bool
    answer: asyncio.Future[Outcome | Redirect | Exception]


class Writer:
    """The one way by which this process appends to one server."""

    def __init__(self, server: Server, settings: RedisSettings, on_pipeline: OnPipeline | None) -> None:
        self._settings, self._on_pipeline = settings, on_pipeline
        self._server, self._connection = server, server.connection()
        self._jobs: list[_Job] = []
        self._arrived, self._idle = asyncio.Event(), asyncio.Event()
        self._idle.set()

    async def append(self, append: Append, *, asking: bool = False) -> Outcome | Redirect:
        """What became of the append. A caller that is cancelled does not stop it.

        Raises Unconfirmed, or one of the exceptions after which nothing was recorded.
        """
        job = _Job(append, _packed(append), asking, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        self._arrived.set()
        self._idle.clear()
        answer = await asyncio.shield(job.answer)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def run(self) -> None:
        """Writes until cancelled; then what waits is answered Unavailable."""
        try:
            while True:
                await self._arrived.wait()
                await self._write(self._take())
                if not self._jobs:
                    self._idle.set()
        finally:
            _answer(self._jobs, Unavailable("this process is stopping"))
            await self._connection.disconnect(nowait=True)

    async def drain(self) -> None:
        """Waits until everything that was begun is answered, for as long as one call may take."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.redis_timeout_s):
                await self._idle.wait()

    def _take(self) -> list[_Job]:
        batch, self._jobs = self._jobs[:_MOST], self._jobs[_MOST:]
        if not self._jobs:
            self._arrived.clear()
        return batch

    async def _write(self, batch: list[_Job]) -> None:
        try:
            await self._connect()
        except NETWORK as error:
            _answer(batch, Unavailable(f"the store cannot be reached ({type(error).__name__})"))
            await asyncio.sleep(_PAUSE_S)
            return
        try:
            async with asyncio.timeout(self._settings.redis_timeout_s):
                await self._exchange(batch)
        except BusyLoadingError:
            await self._connection.disconnect(nowait=True)
            _answer(batch[:1], Unavailable("the store is loading its data"))
        except NETWORK:
            await self._connection.disconnect(nowait=True)
        finally:
            _answer(batch, Unconfirmed("the store did not answer"))

    async def _connect(self) -> None:
        # Something to read before anything was asked is the end of a connection that the server closed.
        if self._connection.is_connected and await self._connection.can_read():
            await self._connection.disconnect(nowait=True)
        if not self._connection.is_connected:
            await self._server.connect(self._connection)

    async def _exchange(self, batch: list[_Job]) -> None:
        parts = [_ASKING * job.asking + job.packed for job in batch]
        if self._settings.redis_replicas:
            wait_ms = int(self._settings.redis_replicas_wait_s * 1000)
            parts.append(_pack("WAIT", self._settings.redis_replicas, wait_ms))
        await self._connection.send_packed_command(b"".join(parts), check_health=False)
        replies = []
        for job in batch:
            if job.asking:
                await self._reply()
            replies.append(await self._reply())
        is_confirmed = not self._settings.redis_replicas or await self._reply() >= self._settings.redis_replicas
        self._deliver(batch, replies, is_confirmed)

    async def _reply(self) -> Any:
        try:
            return await self._connection.read_response()
        except ResponseError as error:
            return error

    def _deliver(self, batch: list[_Job], replies: Sequence[Any], is_confirmed: bool) -> None:
        heads: list[NewHead] = []
        pipeline = Pipeline()
        answers = [_outcome(job.append, reply, pipeline, heads) for job, reply in zip(batch, replies, strict=True)]
        pipeline.heads = tuple(heads)
        if self._on_pipeline and heads:
            self._on_pipeline(pipeline)
        for job, answer in zip(batch, answers, strict=True):
            told: Outcome | Redirect | Exception = answer
            if isinstance(answer, Appended) and not is_confirmed:
                told = Unconfirmed("the replicas did not confirm in time")
            _answer([job], told)


def _packed(append: Append) -> bytes:
    """The call as sent."""
    keys = partitions.keys_of(append.match)
    names = (keys.history, keys.feed, keys.frozen, keys.gone, keys.snap, keys.due)
    due = "" if append.due_ms is None else append.due_ms
    arguments = (
        append.expected_version,
        append.expected_digest,
        append.head,
        append.body,
        keys.text,
        append.record_time_ms,
        append.previous_record_time_ms,
        due,
    )
    snap = append.snapshot
    snapshot = (snap.digest, snap.state, snap.prefixes, snap.extra) if snap else ()
    return _pack("FCALL", library.APPEND, len(names), *names, *arguments, *snapshot)


def _pack(*words: Any) -> bytes:
    """A command as sent; in C, since redis-py's own packing takes longer than everything else here."""
    packed: bytes = hiredis.pack_command(words)
    return packed


def _outcome(append: Append, reply: Any, pipeline: Pipeline, heads: list[NewHead]) -> Outcome | Redirect | Exception:
    if isinstance(reply, ResponseError):
        return _refusal(append, reply)
    code = reply[0]
    if code == b"OK":
        heads.append(NewHead(append.match, reply[1], append.digest))
        return Appended(reply[1], pipeline, len(heads) - 1)
    if code in _BY_VERSION:
        return _BY_VERSION[code](reply[1])
    if code == b"GONE":
        return gone_from(reply[1])
    return Clock(reply[1]) if code == b"CLOCK" else Frozen()


def _refusal(append: Append, error: ResponseError) -> Redirect | Exception:
    """What a server that refused the call means; it recorded nothing."""
    if isinstance(error, AskError):  # MovedError is one too
        return Redirect(error.host, error.port, not isinstance(error, MovedError))
    meant = meaning(error)
    if meant is not error:
        return meant
    return BrokenHistory(ids.to_text(append.match), append.expected_version, f"the store refused: {error}")


def _answer(jobs: list[_Job], answer: Outcome | Redirect | Exception) -> None:
    for job in jobs:
        if not job.answer.done():
            job.answer.set_result(answer)
