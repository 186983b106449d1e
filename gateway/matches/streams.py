"""The open streams of a gateway: ended when it drains, when their token expires, or when nobody reads them."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog

from gateway.authorization import Caller
from gateway.matches.sinks import Sink
from services.kit.errors import Reason, Refused
from services.kit.waiting import is_set_within

STUCK_S = 30.0
"""Seconds that a stream may leave a full sink untouched before it is cut."""
_LOOK_S = 1.0
_log = structlog.get_logger()


class Streams:
    """Every open stream with who reads it. Register `watch_over` as a task of the process."""

    def __init__(self, draining: asyncio.Event) -> None:
        self.draining = draining
        self._sinks: dict[Sink[Any], Caller] = {}

    def __len__(self) -> int:
        return len(self._sinks)

    @asynccontextmanager
    async def serving(self, sink: Sink[Any], caller: Caller, work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
        """Runs `work`, which fills the sink, for as long as the stream is read; its failure ends the stream."""
        if self.draining.is_set():
            work.close()
            raise _drained()
        self._sinks[sink] = caller
        task = asyncio.create_task(_closing(sink, work))
        try:
            yield
        finally:
            self._sinks.pop(sink, None)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def watch_over(self, draining: asyncio.Event) -> None:
        """Ends streams whose token has expired or that are stuck, every second; and all of them when draining."""
        while not await is_set_within(draining, _LOOK_S):
            self._look()
        for sink in tuple(self._sinks):
            sink.close(_drained())

    def _look(self) -> None:
        now, moment = time.time(), time.monotonic()
        for sink, caller in tuple(self._sinks.items()):
            if caller.expires_at is not None and caller.expires_at <= now:
                text = "the token has expired: renew it and resume"
                sink.close(Refused(Reason.ERROR_REASON_TOKEN_EXPIRED, text))
            elif sink.is_full and moment - sink.last_taken > STUCK_S and sink.owner is not None:
                _log.warning("stuck_stream_cut", seconds=STUCK_S)
                sink.owner.cancel()


async def _closing(sink: Sink[Any], work: Coroutine[Any, Any, None]) -> None:
    """Runs the work and hands its end, or its failure, to whoever reads the sink."""
    try:
        await work
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - the reader of the sink raises it
        sink.close(error)
    else:
        sink.close()


def _drained() -> Refused:
    return Refused(Reason.ERROR_REASON_DRAINING, "this gateway is going away: resume elsewhere")
