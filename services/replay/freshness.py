"""How far the library is behind the log, and waiting until it is not: so a caller finds its own changes in a list."""

import asyncio

from services.kit.errors import Refused
from services.kit.log.ends import START, End, count_after, feed_ends, is_after
from services.kit.log.entries import Unavailable
from services.kit.log.servers import Servers
from services.replay.library import Library

_POLL_S, _MOST = 0.02, 1000


class Freshness:
    """Asks for all callers at once: who comes while a question is under way shares the next one."""

    def __init__(self, servers: Servers, library: Library, wait_s: float, group: asyncio.TaskGroup) -> None:
        self._servers, self._library, self._wait_s, self._group = servers, library, wait_s, group
        self._next: asyncio.Task[int | Exception] | None = None
        self._turn = asyncio.Lock()

    async def catch_up(self) -> int:
        """Waits until the library has what was recorded before; how many entries it is behind if it takes too long.

        Raises Unavailable.
        """
        if self._next is None:
            self._next = self._group.create_task(self._run())
        found = await asyncio.shield(self._next)
        if isinstance(found, Exception):
            raise found
        return found

    async def _run(self) -> int | Exception:
        async with self._turn:
            self._next = None  # who comes from now on may have recorded something that we do not look for
            try:
                return await self._behind(await feed_ends(self._servers))
            except (Unavailable, Refused) as away:  # for the callers; the group of tasks lives on
                return away

    async def _behind(self, ends: dict[int, End]) -> int:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._wait_s
        while True:
            positions = await self._library.positions()
            late = {p: at for p, end in ends.items() if is_after(end.last, at := positions.get(p, START))}
            if not late:
                return 0
            if clock() >= deadline:
                return await count_after(self._servers, late, _MOST)
            await asyncio.sleep(_POLL_S)
