"""The background work of one process: reading, keeping and trimming, while it has its turn."""

import asyncio

from services.replay.histories import Histories
from services.replay.keeping import Keeper
from services.replay.library import Library
from services.replay.reading import GROUP, Reader
from services.replay.settings import ReplaySettings
from services.replay.trimming import Trimmer
from services.replay.turns import turn


class Work:
    """What is done with the partitions `homes`."""

    def __init__(self, library: Library, histories: Histories, homes: range, settings: ReplaySettings) -> None:
        self._library, self._homes = library, homes
        ended = asyncio.Event()
        self._reader = Reader(library, histories, homes, ended)
        self._keeper = Keeper(library, histories, homes, settings.replay_keep_s, ended)
        groups = sorted({*settings.feed_groups, GROUP})
        self._trimmer = Trimmer(histories.log.servers, homes, groups, settings.replay_trim_s)

    async def run(self, draining: asyncio.Event) -> None:
        """A task of the process: waits for the turn and works until the process drains."""
        async with turn(self._library.database, self._homes, draining) as is_ours:
            if not is_ours:
                return
            async with asyncio.TaskGroup() as group:
                group.create_task(self._reader.run(draining))
                group.create_task(self._keeper.run(draining))
                group.create_task(self._trimmer.run(draining))
