"""Sends the same request until it is answered, for as long as one is willing to wait."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import grpc
from argosy.client.errors import ArgosyError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: for everything, for one answer, before the first retry and at most between two."""

    total: float = 60.0
    answer: float = 10.0
    first: float = 0.05
    most: float = 5.0

    def delay(self, attempt: int, retry_after: float | None = None) -> float:
        """Seconds before the next attempt, the first being 0: doubled each time, half of it by chance."""
        grown = min(self.most, self.first * float(2 ** min(attempt, 16)))
        return max(retry_after or 0.0, grown * random.uniform(0.5, 1.0))  # noqa: S311  # only spreads retries


async def persist(attempt: Callable[[], Awaitable[T]], patience: Patience) -> T:
    """What `attempt` gives, tried again while its failure is passing and the patience lasts; then the last failure.

    An answer that does not come in time counts as a passing failure, DEADLINE_EXCEEDED; a failure before it, which says
    more, is the one that is raised.
    """
    clock = asyncio.get_running_loop().time
    until, tries = clock() + patience.total, 0
    told: ArgosyError | None = None
    while True:
        try:
            return await _in_time(attempt, patience.answer)
        except ArgosyError as error:
            delay = patience.delay(tries, error.retry_after)
            told = told if told and error.status is grpc.StatusCode.DEADLINE_EXCEEDED else error
            if not error.is_passing or clock() + delay > until:
                raise told from None
        tries += 1
        await asyncio.sleep(delay)


async def _in_time(attempt: Callable[[], Awaitable[T]], seconds: float) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await attempt()
    except TimeoutError:
        raise ArgosyError(f"no answer in {seconds} s", status=grpc.StatusCode.DEADLINE_EXCEEDED) from None
