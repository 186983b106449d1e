"""Brings what has been archived into the transparency log: one process at a time, a batch at a time."""

import asyncio

import structlog

from services.kit import signatures
from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.log.entries import Unavailable
from services.kit.waiting import is_set_within
from services.replay.archive import DamagedFile
from services.replay.histories import Histories, Story
from services.replay.library import Library
from services.replay.reindexing import fill_rulings
from services.replay.rulings import index
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.log import TransparencyLog, key_leaf
from services.replay.transparency.results import result_leaf, result_of
from services.replay.turns import LOG, turn

_BATCH, _PAUSE_S = 256, 0.5
_DAMAGED = (Reason.ERROR_REASON_MATCH_FROZEN, Reason.ERROR_REASON_NOT_FOUND)
_logger = structlog.get_logger()


class Publisher:
    """A task of the process: waits for its turn, then appends what the library says is not yet in the log.

    Nothing is remembered but in the library and the log itself: a leaf that is there already is not appended again.
    """

    def __init__(self, library: Library, histories: Histories, log: TransparencyLog, keys: KnownKeys) -> None:
        self._library, self._histories, self._log, self._keys = library, histories, log, keys
        self._unreadable = set[bytes]()  # until the process starts again: one damaged file must not keep others waiting

    async def run(self, draining: asyncio.Event) -> None:
        """Publishes until the process drains."""
        async with turn(self._library.database, LOG, draining) as is_ours:
            if not is_ours:
                return
            is_known = False
            while not draining.is_set():
                is_busy = False
                try:
                    is_known = is_known or await self.take_stock()
                    is_busy = await self.publish()
                except (Unavailable, DamagedFile, Refused) as error:
                    _logger.warning("log_waits", type=type(error).__qualname__)
                if not is_busy:
                    await is_set_within(draining, _PAUSE_S)

    async def take_stock(self) -> bool:
        """Notes in the library every ruling that is kept, and keeps the keys of this process.

        Rulings may be missing in a library made anew, or after a process was stopped in between.
        """
        await self._keys.keep_own()
        await fill_rulings(self._library, self._histories)
        return True

    async def publish(self) -> bool:
        """Appends a batch; whether there may be more. The platform's keys come first."""
        database = self._library.database
        due = await self._library.to_log(_BATCH + len(self._unreadable))
        ruled = await index.to_log(database, _BATCH)
        leaves = [key_leaf(key) for key in await self._keys.refresh()]
        leaves += [signatures.leaf(signatures.RULING, ruling) for _, ruling in ruled]
        stories = [story for summary in due if (story := await self._read(summary.match)) is not None]
        leaves += [result_leaf(result_of(story)) for story in stories]
        await self._log.append(leaves)
        await self._library.mark([story.summary.match for story in stories], is_logged=True)
        await index.mark(database, [key for key, _ in ruled])
        return _BATCH in (len(stories), len(ruled))

    async def _read(self, match: bytes) -> Story | None:
        """The archived match; None for one that is damaged or lost, which the process's log tells once."""
        if match in self._unreadable:
            return None
        try:
            return await self._histories.story(match)
        except Refused as refused:
            if refused.reason not in _DAMAGED:
                raise
            reason = refused.name
        _logger.error("match_not_logged", match=ids.to_text(match), code=reason)
        self._unreadable.add(match)
        return None
