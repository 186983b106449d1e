"""A wire between two processes, at which one of them is killed at a named point of what they say to each other.

The processes are as they are shipped: what is looked at is the bytes on their connection. A point is a message (told by
bytes that only it has) and how far it got: the killed process had decided but not sent it, had sent it and heard
nothing, or the other side had answered and the answer never arrived.
"""

import asyncio
import contextlib
import enum
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from services.kit.log import library
from services.matchmaking import library as seating

CHUNK = 1 << 16


class When(enum.Enum):
    """How far the message gets."""

    BEFORE = "before it is sent"
    SENT = "when it is sent"
    ANSWERED = "when it is answered, before the answer arrives"
    TOLD = "when the answer has arrived, before anybody is told"


@dataclass(frozen=True)
class Point:
    """Where somebody is killed: at the first message in which this is found, of a size that says that it is one."""

    message: bytes
    when: When
    least: int = 0

    def __str__(self) -> str:
        return f"{self.message.decode() or 'whatever'} {self.when.value}"


APPEND, RETIRE = library.APPEND.encode(), library.RETIRE.encode()
CLAIM, SETTLE, HEAR = seating.CLAIM.encode(), seating.SETTLE.encode(), seating.HEAR.encode()
ACKNOWLEDGE = b"XACK"
PUT, GET = rb"PUT [^ ]*\.history\.zst", rb"GET [^ ]*\.history\.zst"
Address = Path | tuple[str, int]


class Wire:
    """Carries what is said between clients and the server at `target`. `told` is where an answer is passed on."""

    def __init__(self, target: Callable[[], Address], told: "Wire | None" = None) -> None:
        self._target, self._told = target, told
        self._point: Point | None = None
        self._kill: Callable[[], None] = lambda: None
        self._struck = asyncio.Event()
        self._held: Callable[[], None] | None = None
        self._tasks = set[asyncio.Task[None]]()

    def arm(self, point: Point, kill: Callable[[], None]) -> None:
        """Calls `kill` once, as soon as the point is reached."""
        self._point, self._kill = point, kill
        self._struck.clear()

    def hold(self, strike: Callable[[], None]) -> None:
        """Calls `strike` instead of carrying the next thing that is said to a client."""
        self._held = strike

    async def struck(self) -> None:
        """Waits until it was reached."""
        async with asyncio.timeout(240):
            await self._struck.wait()

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one connection until either side ends it."""
        task = asyncio.ensure_future(self._carry(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: writer.transport.abort())

    async def close(self) -> None:
        """Ends all connections."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # so that what was aborted is told

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            there, here = await _connect(self._target())
            answered = asyncio.Event()  # the next answer on this connection is the one
            pumps = [
                asyncio.ensure_future(self._ask(reader, here, answered)),
                asyncio.ensure_future(self._answer(there, writer, answered)),
            ]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
                here.transport.abort()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answered: asyncio.Event) -> None:
        while chunk := await reader.read(CHUNK):
            if point := self._reached(chunk):
                if point.when is When.BEFORE:
                    self._strike()
                    return
                if point.when in (When.ANSWERED, When.TOLD):
                    answered.set()
            writer.write(chunk)
            await writer.drain()
            if point and point.when is When.SENT:
                self._strike()
                return

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answered: asyncio.Event
    ) -> None:
        while chunk := await reader.read(CHUNK):
            if self._held:  # this is the wire to those who are told
                self._held()
                self._held = None
                return
            if answered.is_set() and self._point:
                if self._point.when is When.ANSWERED:
                    self._strike()
                    return
                assert self._told, "nobody is told by way of this wire"
                self._told.hold(self._strike)
                self._point = None
            writer.write(chunk)
            await writer.drain()

    def _reached(self, chunk: bytes) -> Point | None:
        point = self._point
        is_there = point and len(chunk) >= point.least and re.search(point.message, chunk)
        return point if is_there else None

    def _strike(self) -> None:
        self._point = None
        self._kill()
        self._struck.set()


async def _connect(target: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if isinstance(target, Path):
        return await asyncio.open_unix_connection(target)
    return await asyncio.open_connection(*target)


@contextlib.asynccontextmanager
async def listening(wire: Wire, path: Path | None = None) -> AsyncIterator[str]:
    """Serves the wire at a path, or at a port of its own; the URL of a store, or HOST:PORT."""
    if path is not None:
        server, address = await asyncio.start_unix_server(wire.serve, path), f"unix://{path}"
    else:
        server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
        address = "{}:{}".format(*server.sockets[0].getsockname())
    try:
        yield address
    finally:
        server.close()
        await wire.close()
