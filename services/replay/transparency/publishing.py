"""Brings what has been archived into the transparency log: one process at a time, a batch at a time."""

import asyncio
import contextlib

import structlog

from services.kit import signatures
from services.kit.errors import Refused
from services.kit.log.entries import Unavailable
from services.replay.archive import DamagedFile
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.reindexing import fill_rulings
from services.replay.rulings import index
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.log import TransparencyLog, key_leaf
from services.replay.transparency.results import result_leaf, result_of
from services.replay.turns import LOG, turn

_BATCH, _PAUSE_S = 256, 0.5
_logger = structlog.get_logger()


class Publisher:
    """A task of the process: waits for its turn, then appends what the library says is not yet in the log.

    Nothing is remembered but in the library and the log itself: a leaf that is there already is not appended again.
    """

    def __init__(self, library: Library, histories: Histories, log: TransparencyLog, keys: KnownKeys) -> None:
        self._library, self._histories, self._log, self._keys = library, histories, log, keys

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
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(draining.wait(), _PAUSE_S)

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
        due, ruled = await self._library.to_log(_BATCH), await index.to_log(database, _BATCH)
        leaves = [key_leaf(key) for key in await self._keys.refresh()]
        leaves += [signatures.leaf(signatures.RULING, ruling) for _, ruling in ruled]
        for summary in due:
            story = await self._histories.story(summary.match)
            leaves.append(result_leaf(result_of(story)))
        await self._log.append(leaves)
        await self._library.mark([summary.match for summary in due], is_logged=True)
        await index.mark(database, [key for key, _ in ruled])
        return _BATCH in (len(due), len(ruled))
