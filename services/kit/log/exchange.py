"""Questions of all callers to one server: over one connection, each with its reply in the order of asking.

What is asked in one turn of the event loop is sent together. By redis-py's client a question cost a hundred
microseconds and more of this process, by this one about ten.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Any, Final

import hiredis
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import TimeoutError as TimedOut

from services.kit.log.conversation import Conversation, OnLost, OnReply

_MOST: Final = 12
"""Questions sent and not yet answered; the others wait their turn, in order. So many of the largest replies, 552 KiB
for a state and FEW entries, stay below the 8 MiB that a server buffers for a client."""
_LOOKS: Final = 10
"""How often within the deadline the watch looks: an answer that does not come is told late by that part at most."""


@dataclass(slots=True)
class _Question:
    command: bytes
    answer: asyncio.Future[Any]
    until: float


class Exchange:
    """The questions to one server. `converse` opens the connection, at the first one and whenever it was lost.

    Nothing is sent twice. What blocks at the server, or may be answered at greater length, holds up all the others and
    has no place here.
    """

    def __init__(self, converse: Callable[[OnReply, OnLost], Awaitable[Conversation]], timeout_s: float) -> None:
        self._converse, self._timeout_s = converse, timeout_s
        self._line: Conversation | None = None
        self._opening = asyncio.Lock()
        self._sent, self._unsent = deque[_Question](), deque[_Question]()
        self._is_sending = self._is_watched = False
        self._heard = 0.0  # when the last reply came, or sending began after all had been answered

    async def ask(self, *words: Any) -> Any:
        """The reply as it came; a refusal is raised. A caller that is cancelled stops nothing that was sent.

        Raises one of NETWORK when there is no connection, or no reply in time; nobody knows then what was done.
        """
        command: bytes = hiredis.pack_command(words)
        while self._line is None or self._line.is_lost:
            await self._open()
        loop = asyncio.get_running_loop()
        question = _Question(command, loop.create_future(), loop.time() + self._timeout_s)
        self._unsent.append(question)
        self._send_soon(loop)
        if not self._is_watched:
            self._is_watched = True
            loop.call_later(self._timeout_s / _LOOKS, self._watch, loop)
        return await question.answer

    async def close(self) -> None:
        """Ends the connection; who waits for a reply is told so."""
        line, self._line = self._line, None
        if line is not None:
            await line.close()
        self._lose(Disconnected("this process has closed the connection"))

    async def _open(self) -> None:
        """Opens the connection unless somebody else has done so meanwhile."""
        async with asyncio.timeout(self._timeout_s), self._opening:
            if self._line is not None and self._line.is_lost:
                await self.close()
            if self._line is None:
                self._line = await self._converse(self._hear, self._lose)

    def _send_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._is_sending:
            self._is_sending = True
            loop.call_soon(self._send, loop)

    def _send(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_sending = False
        if not self._sent:
            self._heard = loop.time()
        commands = list[bytes]()
        while self._unsent and len(self._sent) < _MOST:
            question = self._unsent.popleft()
            if not question.answer.done():
                self._sent.append(question)
                commands.append(question.command)
        if commands and self._line is not None:
            with suppress(Disconnected):  # its end is about to be told
                self._line.send(b"".join(commands))

    def _hear(self, reply: Any) -> None:
        if not self._sent:
            raise Disconnected(f"the server said what nobody had asked for: {reply}")
        loop = asyncio.get_running_loop()
        self._heard = loop.time()
        answer = self._sent.popleft().answer
        if not answer.done():
            if isinstance(reply, Exception):
                answer.set_exception(reply)
            else:
                answer.set_result(reply)
        if self._unsent:
            self._send_soon(loop)

    def _lose(self, error: Exception) -> None:
        """Tells all that wait, each by an exception of its own, that there will be no reply."""
        kind = TimedOut if isinstance(error, TimedOut) else Disconnected
        waiting = [*self._sent, *self._unsent]
        self._sent.clear()
        self._unsent.clear()
        for question in waiting:
            if not question.answer.done():
                failure = kind(str(error))
                failure.__cause__ = error
                question.answer.set_exception(failure)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Tells who has waited long enough; ends a connection on which nothing was heard for so long."""
        now = loop.time()
        if self._sent and self._line is not None and now - self._heard >= self._timeout_s:
            self._line.abort(TimedOut("the server has fallen silent"))
        for question in takewhile(lambda waiting: waiting.until <= now, chain(self._sent, self._unsent)):
            if not question.answer.done():
                question.answer.set_exception(TimedOut("the server did not answer in time"))
        self._is_watched = bool(self._sent or self._unsent)
        if self._is_watched:
            loop.call_later(self._timeout_s / _LOOKS, self._watch, loop)
