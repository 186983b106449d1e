"""Keeps histories: writes those that have ended to the archive, and takes them out of the log when they are safe there.

Nothing here is remembered but in the library: wherever it is stopped, it goes on, and every step may be done twice.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from services.kit.clock import now_ms
from services.kit.errors import Refused
from services.kit.log import ids
from services.kit.log.entries import BrokenHistory, Entry, NewHead, StorageLow, Unavailable
from services.kit.parts import BadEntry
from services.replay.archive import DamagedFile, check
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.summary import Summary

Step = Callable[[Summary], Awaitable[None]]
_AWAY: Final = (Unavailable, StorageLow, Refused)
_AT_ONCE, _TRIES = 32, 5
_PAUSE_S, _RETRY_S, _TRY_AGAIN_S, _LEFT_ALONE_S = 1.0, 1.0, 0.1, 60.0
_log = structlog.get_logger()


class Keeper:
    """Looks after the ended matches of some partitions. `ended` wakes it; matches stay in the log for `keep_s`."""

    def __init__(
        self, library: Library, histories: Histories, homes: range, keep_s: float, ended: asyncio.Event
    ) -> None:
        self._library, self._histories, self._homes = library, histories, homes
        self._keep_ms, self._ended = int(keep_s * 1000), ended
        self._tries = dict[bytes, int]()
        self._left_alone = dict[bytes, float]()  # until when, seconds of the event loop

    async def run(self, draining: asyncio.Event) -> None:
        """Keeps histories until the process drains."""
        while not draining.is_set():
            pause = _PAUSE_S
            self._ended.clear()
            try:
                if await self.keep():
                    continue
            except _AWAY as error:
                _log.warning("archive_waits", type=type(error).__qualname__)
                pause = _RETRY_S
            await _wait(draining, self._ended, pause)

    async def keep(self) -> bool:
        """Archives and retires what is due, up to a number; whether there may be more."""
        due = await self._library.to_archive(self._homes, _AT_ONCE)
        for summary in due:
            await self._tried(summary, self._archive)
        before, now = now_ms() - self._keep_ms, asyncio.get_running_loop().time()
        self._left_alone = {match: until for match, until in self._left_alone.items() if until > now}
        old = await self._library.to_retire(self._homes, before, _AT_ONCE, but=self._left_alone)
        for summary in old:
            await self._tried(summary, self._retire)
        return bool(due or old)

    async def _tried(self, summary: Summary, step: Step) -> None:
        """Does a step for a match; one that fails five times sets the match aside, and it stays in the log."""
        try:
            await step(summary)
        except (BadEntry, BrokenHistory, DamagedFile) as error:
            tries = self._tries[summary.match] = self._tries.get(summary.match, 0) + 1
            _log.error("history_not_kept", match=summary.text, number=tries, type=type(error).__qualname__)
            if tries >= _TRIES:
                await self._library.quarantine(summary.match, 0, type(error).__qualname__)
            await asyncio.sleep(_TRY_AGAIN_S * tries)
        else:
            self._tries.pop(summary.match, None)

    async def _archive(self, summary: Summary) -> None:
        match = summary.match
        entries, filed = await self._histories.read_log(match), await self._filed(match)
        if filed is not None and filed[-1].digest != summary.digest:
            raise BadEntry("another history is archived under this id")
        if not entries and filed is not None:  # it was taken out, and we were stopped before we could note it
            await self._library.mark([match], is_archived=True, is_retired=True)
            return
        check(match, entries)
        if entries[-1].digest != summary.digest:
            raise BadEntry("the library knows another end")
        if filed != entries:
            await self._histories.archive.write(match, entries)
        await self._library.mark([match], is_archived=True)

    async def _retire(self, summary: Summary) -> None:
        match, filed = summary.match, await self._filed(summary.match)
        entries = await self._histories.read_log(match)
        if entries and filed != entries:
            _log.warning("archive_to_be_written_again", match=summary.text)
            await self._library.mark([match], is_archived=False)
            return
        if filed is None:
            raise DamagedFile("the history is in neither log nor archive")
        head = NewHead(match, filed[-1].version, filed[-1].digest)
        if entries and not await self._histories.log.retire(head):
            _log.warning("history_stays", match=summary.text)  # it is frozen, or went on: a repair settles that
            self._left_alone[match] = asyncio.get_running_loop().time() + _LEFT_ALONE_S
            return
        await self._library.mark([match], is_retired=True)

    async def _filed(self, match: bytes) -> list[Entry] | None:
        """The archived history; None where there is none, or none that is whole."""
        try:
            return await self._histories.archive.read(match)
        except DamagedFile as damage:
            _log.warning("archive_damaged", match=ids.to_text(match), problem=str(damage))
            return None


async def _wait(draining: asyncio.Event, ended: asyncio.Event, wait_s: float) -> None:
    ends = [asyncio.ensure_future(event.wait()) for event in (draining, ended)]
    try:
        await asyncio.wait(ends, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
