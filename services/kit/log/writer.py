"""Appends to one server: one pipeline at a time, with all that arrived meanwhile in the next.

Under `appendfsync always` all commands of a pipeline share one flush; writing small batches one after another was
measured five times slower.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis.exceptions import BusyLoadingError
from redis.exceptions import ConnectionError as Disconnected

from services.kit.log.conversation import Conversation
from services.kit.log.entries import Append, Appended, NewHead, Outcome, Pipeline, Unavailable, Unconfirmed
from services.kit.log.outcomes import Redirect, outcome_of, pack, packed
from services.kit.log.servers import NETWORK, RedisSettings, Server
from services.kit.waiting import is_set_within

_MOST: Final = 512  # appends in one pipeline
_ASKING: Final = b"*1\r\n$6\r\nASKING\r\n"
_PAUSE_S: Final = 0.05  # after a connection that failed

OnPipeline = Callable[[Pipeline], None]


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
        self._server = server
        self._line: Conversation | None = None
        self._replies, self._expected = list[Any](), 0
        self._answered: asyncio.Future[None] | None = None  # while replies are expected
        self._jobs: list[_Job] = []
        self._arrived, self._idle = asyncio.Event(), asyncio.Event()
        self._idle.set()

    async def append(self, append: Append, *, asking: bool = False) -> Outcome | Redirect:
        """What became of the append. A caller that is cancelled does not stop it.

        Raises Unconfirmed, or one of the exceptions after which nothing was recorded.
        """
        job = _Job(append, packed(append), asking, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        self._arrived.set()
        self._idle.clear()
        answer = await job.answer  # nobody else's: who is cancelled cancels the answer, not the append
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
            await self._disconnect()

    async def drain(self) -> None:
        """Waits until everything that was begun is answered, for as long as one call may take."""
        await is_set_within(self._idle, self._settings.redis_timeout_s)

    def _take(self) -> list[_Job]:
        batch, self._jobs = self._jobs[:_MOST], self._jobs[_MOST:]
        if not self._jobs:
            self._arrived.clear()
        return batch

    async def _write(self, batch: list[_Job]) -> None:
        try:
            line = await self._connect()
        except NETWORK as error:
            _answer(batch, Unavailable(f"the store cannot be reached ({type(error).__name__})"))
            await asyncio.sleep(_PAUSE_S)
            return
        try:
            async with asyncio.timeout(self._settings.redis_timeout_s):
                await self._exchange(line, batch)
        except BusyLoadingError:
            await self._disconnect()
            _answer(batch[:1], Unavailable("the store is loading its data"))
        except NETWORK:
            await self._disconnect()
        finally:
            _answer(batch, Unconfirmed("the store did not answer"))

    async def _connect(self) -> Conversation:
        if self._line is not None and self._line.is_lost:
            await self._disconnect()
        if self._line is None:
            self._line = await self._server.converse(self._hear, self._lose)
        return self._line

    async def _disconnect(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def _exchange(self, line: Conversation, batch: list[_Job]) -> None:
        parts = [_ASKING * job.asking + job.packed for job in batch]
        expected = len(batch) + sum(job.asking for job in batch)
        if self._settings.redis_replicas:
            wait_ms = int(self._settings.redis_replicas_wait_s * 1000)
            parts.append(pack("WAIT", self._settings.redis_replicas, wait_ms))
            expected += 1
        self._replies, self._expected = [], expected
        self._answered = asyncio.get_running_loop().create_future()
        try:
            line.send(b"".join(parts))
            await self._answered
        finally:
            self._answered = None
        replies = iter(self._replies)
        own = [next(replies) if not job.asking else (next(replies), next(replies))[1] for job in batch]
        self._deliver(batch, own, all(confirming >= self._settings.redis_replicas for confirming in replies))

    def _hear(self, reply: Any) -> None:
        """Takes a reply. A refusal of the connection itself, such as LOADING, is the end of all that was asked."""
        self._replies.append(reply)
        if isinstance(reply, Disconnected):
            self._lose(reply)
        elif len(self._replies) == self._expected and self._answered is not None and not self._answered.done():
            self._answered.set_result(None)

    def _lose(self, error: Exception) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(error)

    def _deliver(self, batch: list[_Job], replies: Sequence[Any], is_confirmed: bool) -> None:
        heads: list[NewHead] = []
        pipeline = Pipeline()
        answers = [outcome_of(job.append, reply, pipeline, heads) for job, reply in zip(batch, replies, strict=True)]
        pipeline.heads = tuple(heads)
        if self._on_pipeline and heads:
            self._on_pipeline(pipeline)
        for job, answer in zip(batch, answers, strict=True):
            told: Outcome | Redirect | Exception = answer
            if isinstance(answer, Appended) and not is_confirmed:
                told = Unconfirmed("the replicas did not confirm in time")
            _answer([job], told)


def _answer(jobs: list[_Job], answer: Outcome | Redirect | Exception) -> None:
    for job in jobs:
        if not job.answer.done():
            job.answer.set_result(answer)
