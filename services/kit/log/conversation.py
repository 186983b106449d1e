"""A connection to the store whose replies are handed on as they come: no task, timer or stream for each of them.

redis-py opens it, with TLS and credentials as its address says. Reading each reply through redis-py's layers cost more
than all else that this process does for an append.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import hiredis
from redis._parsers.base import BaseParser
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import InvalidResponse

OnReply = Callable[[Any], None]
"""Gets each reply; one by which the server refuses a command is the exception that redis-py has for it."""
OnLost = Callable[[Exception], None]
"""Gets why there will be no more replies: the connection has ended, or what took a reply has failed."""


class Conversation(asyncio.Protocol):
    """An open connection. `open_conversation` makes one; whoever did closes it."""

    def __init__(self, connection: AbstractConnection, on_reply: OnReply, on_lost: OnLost) -> None:
        self._connection, self._on_reply, self._on_lost = connection, on_reply, on_lost
        self._replies = hiredis.Reader(protocolError=InvalidResponse, replyError=BaseParser.parse_error)
        self._is_lost = False
        stream = connection._writer  # noqa: SLF001 - redis-py shows nobody the transport that it has opened
        if stream is None or stream.transport.is_closing():  # nobody would be told of the end any more
            raise Disconnected("the connection has ended as soon as it was open")
        self._transport: asyncio.WriteTransport = stream.transport
        self._transport.set_protocol(self)

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._is_lost

    def send(self, commands: bytes) -> None:
        """Sends commands, packed; their replies come in the same order. Raises Disconnected after the end."""
        if self._is_lost or self._transport.is_closing():  # uvloop would raise a RuntimeError
            raise Disconnected("the connection has ended")
        self._transport.write(commands)

    async def close(self) -> None:
        """Ends it; nobody is told."""
        self._is_lost = True
        await self._connection.disconnect(nowait=True)

    def abort(self, error: Exception) -> None:
        """Ends it at once, for this reason, which is told."""
        self._lose(error)
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Hands on the replies that are whole."""
        try:
            self._replies.feed(data)
            while not self._is_lost and (reply := self._replies.gets()) is not False:
                self._on_reply(reply)
        except Exception as error:  # noqa: BLE001 - raised by whoever is told
            self.abort(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells of the end, unless it was closed here."""
        self._lose(exc or Disconnected("the server has closed the connection"))

    def _lose(self, error: Exception) -> None:
        if not self._is_lost:
            self._is_lost = True
            self._on_lost(error)


async def open_conversation(
    connection: AbstractConnection, timeout_s: float, on_reply: OnReply, on_lost: OnLost
) -> Conversation:
    """The connection, opened in time and with replies from now on."""
    try:
        async with asyncio.timeout(timeout_s):
            await connection.connect()  # type: ignore[no-untyped-call]  # redis-py leaves it so
        return Conversation(connection, on_reply, on_lost)
    except BaseException:
        await connection.disconnect(nowait=True)
        raise
