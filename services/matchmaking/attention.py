"""Which queues of a game its lease holder looks at: all once, then those in which something can have changed."""

import asyncio
from heapq import heapify, heappop, heappush

from services.matchmaking.claims import Claims
from services.matchmaking.pairing import Waiting

_STALE = 1_000  # times out of date that may be kept beside as many as are true


class Attention:
    """Remembers up to which arrival the holder has looked, and when it must look at a queue by the clock.

    Who leaves a queue makes no match possible that was not before, so only arrivals and time count.
    """

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self._arrival: int | None = None  # None: nothing is known of the queues
        self._now_ms = 0
        self._due: list[tuple[int, str]] = []
        self._at = dict[str, int]()  # by queue; what else `_due` has of it is out of date

    async def queues(self, now_ms: int) -> dict[str, list[Waiting]]:
        """Who waits, in the queues that must be looked at now. Whoever looks says `again` for each, or `forget`."""
        if now_ms < self._now_ms:
            self.forget()  # the clock was put back: what was to come soon would come late
        self._now_ms = now_ms
        if self._arrival is None:
            arrival = await self._claims.last_arrival()  # first: who comes meanwhile is seen twice rather than never
            found = await self._claims.waiting()
        else:
            changed = await self._claims.changed(self._arrival)
            arrival = max(changed.values(), default=self._arrival)
            names = sorted(changed.keys() | self._overdue(now_ms))
            found = dict(zip(names, await asyncio.gather(*map(self._claims.in_queue, names)), strict=True))
        self._arrival = arrival
        return found

    def again(self, queue: str, at_ms: int | None) -> None:
        """When the queue must be looked at even if nobody comes; None for never."""
        if at_ms is None:
            self._at.pop(queue, None)
        elif self._at.get(queue) != at_ms:
            self._at[queue] = at_ms
            heappush(self._due, (at_ms, queue))
            if len(self._due) > 2 * len(self._at) + _STALE:
                self._due = [(at, name) for name, at in self._at.items()]
                heapify(self._due)

    def next_ms(self, at_most: int) -> int:
        """When a queue must be looked at next, or `at_most`."""
        while self._due and self._at.get(self._due[0][1]) != self._due[0][0]:
            heappop(self._due)
        return min(at_most, self._due[0][0]) if self._due else at_most

    def forget(self) -> None:
        """Knows nothing any more: another may hold the lease, or a look failed half way."""
        self._arrival = None
        self._due.clear()
        self._at.clear()

    def _overdue(self, now_ms: int) -> set[str]:
        names = set[str]()
        while self.next_ms(now_ms + 1) <= now_ms:
            _, name = heappop(self._due)
            del self._at[name]
            names.add(name)
        return names
