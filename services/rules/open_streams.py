"""Streams of a rules service that stay open between batches; they must not hold up the end of the process."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from services.kit.errors import Reason, Refused


class OpenStreams:
    """The tasks that serve streams now."""

    def __init__(self) -> None:
        self._serving, self._is_ended = set[asyncio.Task[Any]](), False

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Counts the block's task as one of them. The block is left with DRAINING once all are ended."""
        task = asyncio.current_task()
        if self._is_ended or task is None:
            raise _draining()
        self._serving.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if self._is_ended and task.uncancel() == 0:  # cancelled by `end`, not by gRPC, whose client is gone
                raise _draining() from None
            raise
        finally:
            self._serving.discard(task)

    def end(self) -> None:
        """Ends them all, and those that come; what a stream is deciding at this moment is asked again elsewhere."""
        self._is_ended = True
        for task in tuple(self._serving):
            task.cancel()


def _draining() -> Refused:
    return Refused(Reason.ERROR_REASON_DRAINING, "this rules service is going away")
