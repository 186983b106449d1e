"""Reads the feed into the library: the one consumer of the group `replay` in its partitions.

A pointer only says where to look: what is stored is a fold of the history after the version that the library has. So
nothing changes when a pointer comes twice. Positions are stored with the rows, and the group is made anew by them.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

import structlog
from sqlalchemy.exc import DataError, IntegrityError

from services.kit.errors import Refused
from services.kit.log import ids
from services.kit.log.ends import START, feed_ends, is_after, recreate_group
from services.kit.log.entries import BrokenHistory, StorageLow, Unavailable
from services.kit.log.feed import Feed, GroupLost, Pointer
from services.replay.aside import set_aside
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.reindexing import fill, reindex
from services.replay.restored import settle
from services.replay.summary import Summary, fold

GROUP: Final = "replay"
AWAY: Final = (Unavailable, StorageLow, Refused)
"""What passes by itself: the store or the database does not answer."""
_COUNT, _AT_ONCE = 64, 16
_PAUSE_S, _WAIT_S, _RETRY_S = 0.01, 1.0, 1.0
_TRIES, _TRY_AGAIN_S = 5, 0.1
_log = structlog.get_logger()


class Reader:
    """Consumes the feed of some partitions. `ended` is set whenever a match was found to be over."""

    def __init__(self, library: Library, histories: Histories, homes: range, ended: asyncio.Event) -> None:
        self._library, self._histories, self._homes, self._ended = library, histories, homes, ended
        self._feed = Feed(histories.log.servers, GROUP, GROUP, homes)
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def run(self, draining: asyncio.Event) -> None:
        """Reads until the process drains. Where store or database are away, it begins again at what it stored."""
        while not draining.is_set():
            try:
                await self._begin()
                while not draining.is_set():
                    if pointers := await self._feed.read(_COUNT, _WAIT_S):
                        await self.consume(pointers)
                        await asyncio.sleep(_PAUSE_S)  # so that the next reading has more at once
            except AWAY as error:
                _log.warning("feed_not_read", type=type(error).__qualname__)
                await asyncio.sleep(_RETRY_S)
            except GroupLost as lost:
                _log.warning("feed_group_lost", partition=lost.partition)

    async def consume(self, pointers: Sequence[Pointer]) -> None:
        """Stores what the histories say, and the positions, then acknowledges."""
        matches = {pointer.match for pointer in pointers}
        known, aside = await self._library.find(matches), await self._library.quarantined(matches)
        found = await asyncio.gather(*(self._advanced(match, known.get(match)) for match in sorted(matches - aside)))
        summaries = [summary for summary in found if summary is not None]
        await self._store(summaries, _positions(pointers))
        await self._feed.acknowledge(pointers)
        if any(summary.is_over for summary in summaries):
            self._ended.set()

    async def _begin(self) -> None:
        """Begins where the library stands. What was dropped from the feed meanwhile is read from the histories."""
        if not await self._library.is_whole():
            _log.info("library_filled", **await reindex(self._library, self._histories))
        servers = self._histories.log.servers
        stored, ends = await self._library.positions(), await feed_ends(servers, self._homes)
        older = {home for home, end in ends.items() if is_after(stored.get(home, START), end.last)}
        if older:
            await settle(self._library, self._histories, older)
            stored |= {home: ends[home].last for home in older}
            await self._library.store((), {home: stored[home] for home in older})
        lost = {home: end.last for home, end in ends.items() if end.lost_after(stored.get(home, START))}
        if lost:
            _log.warning("feed_trimmed_before_it_was_read", partitions=len(lost))
            await fill(self._library, self._histories, set(lost))
            await self._library.store((), lost)
        starts = {home: lost.get(home, stored.get(home, START)) for home in self._homes}
        await recreate_group(servers, GROUP, starts)

    async def _advanced(self, match: bytes, known: Summary | None) -> Summary | None:
        """The summary as the history stands, or up to the entry that cannot be read; None where nothing is new."""
        summary = known or Summary(match)
        for number in range(1, _TRIES + 1):
            before = summary.version
            try:
                async with self._room:
                    await self._fold(summary)
            except AWAY:
                raise
            except Exception as error:  # noqa: BLE001 - whatever an entry does to us, the others go on
                _log.error("entry_not_read", match=ids.to_text(match), number=number, type=type(error).__qualname__)
                if number == _TRIES:
                    await set_aside(self._library, self._histories, summary, error)
                    break
                await asyncio.sleep(_TRY_AGAIN_S * number)
            else:
                return summary if summary.version > before or number > 1 else None
        return summary if summary.version else None

    async def _fold(self, summary: Summary) -> None:
        """Folds what the log has after the summary's version, which must still be what the log has there."""
        entries = await self._histories.read_log(summary.match, max(0, summary.version - 1))
        if summary.version and entries:
            if entries[0].digest != summary.digest:
                raise BrokenHistory(summary.text, summary.version, "the library knows another entry")
            entries = entries[1:]
        for entry in entries:
            fold(summary, entry)

    async def _store(self, summaries: Sequence[Summary], positions: dict[int, str]) -> None:
        try:
            await self._library.store(summaries, positions)
        except (DataError, IntegrityError):  # one of them cannot be stored: the others can
            for summary in summaries:
                try:
                    await self._library.store([summary])
                except (DataError, IntegrityError) as error:
                    await set_aside(self._library, self._histories, summary, error)
            await self._library.store((), positions)


def _positions(pointers: Iterable[Pointer]) -> dict[int, str]:
    """The last position of each partition."""
    last = dict[int, str]()
    for pointer in pointers:
        if is_after(pointer.position, last.get(pointer.partition, START)):
            last[pointer.partition] = pointer.position
    return last
