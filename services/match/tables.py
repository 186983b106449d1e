"""Tables by match: loaded, refreshed, followed, evicted. Anything here may be thrown away at any time."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import structlog
from argosy.rules.v1 import rules_service_pb2 as rules_v1

from services.kit.errors import Refused, not_found
from services.kit.log import ids
from services.kit.log.entries import Entry, Snapshot
from services.kit.log.log import EventLog
from services.match import snapshots
from services.match.histories import Archive, Histories
from services.match.rules import RulesDirectory
from services.match.table import ENDED, Listener, Phase, Table, Update, wanted_by_all

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_log = structlog.get_logger()
Ask = Callable[[Table, rules_v1.Wanted], Awaitable[rules_v1.FoldEventsResponse]]
_PATIENCE_S = 0.05  # for an own append to be answered after news of it came


class Tables:
    """The tables of one process; at most about `most` of them, the least used are evicted."""

    def __init__(
        self, log: EventLog, directory: RulesDirectory, group: asyncio.TaskGroup, archive: Archive | None, most: int
    ) -> None:
        self.log, self.directory, self.group = log, directory, group
        self._histories, self._most = Histories(log, directory, group, archive), most
        self._tables: OrderedDict[bytes, Table] = OrderedDict()
        self._loading: dict[bytes, asyncio.Task[Table | Exception | None]] = {}
        self._following: dict[bytes, AbstractContextManager[None]] = {}
        self.ask: Ask | None = None

    def __len__(self) -> int:
        return len(self._tables)

    async def get(self, match: bytes) -> Table:
        """The table, however old it is. Refuses NOT_FOUND, MATCH_FROZEN for a history that is broken."""
        table = await self.find(match)
        if table is None:
            raise not_found(f"matches/{ids.to_text(match)}")
        return table

    async def fresh(self, match: bytes) -> Table:
        """The table as the history stands now."""
        known = match in self._tables
        table = await self.get(match)
        if known and not table.is_followed and table.phase not in ENDED:
            async with table.lock:
                await self.refresh(table)
        return table

    async def find(self, match: bytes, *, is_new: bool = False) -> Table | None:
        """The table; None where there is no such match. One that `is_new` is in the store, or its end remembered."""
        table = self._tables.get(match)
        if table is not None:
            self._tables.move_to_end(match)
            return table
        task = self._loading.get(match)
        if task is None or task.done():  # one that is done may not be gone from here yet: it tells of the past
            task = self._loading[match] = self.group.create_task(self._attempt(match, is_new=is_new))
            task.add_done_callback(partial(self._drop_loading, match))
        found = await asyncio.shield(task)  # shared: who is cancelled leaves it to the others
        if isinstance(found, Exception):
            raise found
        return found

    def known(self, match: bytes) -> Table | None:
        """The table if it is here, however old it is; nothing is asked for."""
        return self._tables.get(match)

    def put(self, table: Table) -> None:
        """Keeps a table that was just made."""
        self._tables[table.match] = table
        self._evict()

    async def refresh(self, table: Table) -> None:
        """Reads and folds what was recorded after the table's version. The caller holds its lock.

        Listeners are told of all of it; with the newest entry comes what the rules say of the match now.
        """
        updates = list[Update]()
        try:
            async for update in self._histories.advance(table):
                updates.append(update)
            if updates and table.listeners:
                updates[-1] = await self._asked(table, updates[-1])
        finally:  # what was folded must be told, whatever came in between
            for update in updates:
                self.tell(table, update)

    async def check(self, table: Table, age_s: float) -> None:
        """Reads the history again if that was not done for so long: news can be lost without a word."""
        now = asyncio.get_running_loop().time()
        if table.phase not in ENDED and now - table.checked >= age_s:
            table.checked = now
            async with table.lock:
                await self.refresh(table)

    def follow(self, table: Table, listener: Listener) -> None:
        """Tells the listener of every entry from now on; the table is kept fresh by news."""
        table.listeners.add(listener)
        if table.match not in self._following and table.phase not in ENDED:
            following = self.log.follow(table.match, lambda version: self._on_news(table, version))
            following.__enter__()
            self._following[table.match] = following

    def unfollow(self, table: Table, listener: Listener) -> None:
        """Tells the listener no more."""
        table.listeners.discard(listener)
        if not table.listeners or table.phase in ENDED:
            following = self._following.pop(table.match, None)
            table.is_followed = False
            if following is not None:
                following.__exit__(None, None, None)

    def tell(self, table: Table, update: Update) -> None:
        """Tells every listener of the entry just folded."""
        for listener in tuple(table.listeners):
            listener.tell(update)

    def close(self) -> None:
        """Follows nothing any more."""
        for following in self._following.values():
            following.__exit__(None, None, None)
        self._following.clear()

    def forget(self, table: Table) -> None:
        """Drops the table; the next use loads it anew."""
        self._tables.pop(table.match, None)

    async def entries(self, table: Table, after_version: int, count: int) -> Sequence[Entry]:
        """Up to `count` stored entries after this version, from the log or the archive."""
        return await self._histories.entries(table, after_version, count)

    def save_soon(self, table: Table) -> None:
        """Writes a snapshot of the table as it is now, in the background."""
        self.group.create_task(self._save(table.match, snapshots.take(table)))

    def _drop_loading(self, match: bytes, task: asyncio.Task[Table | Exception | None]) -> None:
        if self._loading.get(match) is task:
            del self._loading[match]

    def _on_news(self, table: Table, version: int | None) -> None:
        if version is None:
            table.is_followed = True
        if version is not None and version > table.version and table.lock.locked():
            # Mostly an own append whose answer is on its way: a timer costs less than a task that waits for the lock.
            asyncio.get_running_loop().call_later(_PATIENCE_S, self._look_after, table, version)
        else:
            self._look_after(table, version)

    def _look_after(self, table: Table, version: int | None) -> None:
        """Reads the history unless the table has that version, or nobody follows it any more."""
        if table.match in self._following and (version is None or version > table.version):
            self.group.create_task(self._hear(table, version))

    async def _hear(self, table: Table, version: int | None) -> None:
        """Refreshes after news. A failure is not swallowed: the table counts as not followed until news comes again."""
        try:
            async with table.lock:
                if version is None or version > table.version:
                    await self.refresh(table)
        except Refused as refused:
            _log.warning("news_not_read", match=table.text, code=refused.name)
        except Exception as error:  # noqa: BLE001 - the store may be away; news or the next read tries again
            table.is_followed = False
            _log.warning("news_not_read", match=table.text, type=type(error).__qualname__)

    async def _attempt(self, match: bytes, *, is_new: bool) -> Table | Exception | None:
        """The table, or why not: a failure belongs to those who asked, not to the process."""
        try:
            table = await self._histories.load(match, is_new=is_new)
            if table is not None:
                self.put(table)
        except Exception as failure:  # noqa: BLE001 - raised again by everybody who waits for it
            return failure
        return table

    async def _asked(self, table: Table, update: Update) -> Update:
        """The update with what the rules say; without it where they are away: listeners ask again."""
        if self.ask is None or not table.seats:
            return update
        try:
            folded = await self.ask(table, wanted_by_all(table))
        except Refused as refused:
            _log.warning("update_without_position", match=table.text, code=refused.name)
            return update
        said = rules_v1.Decision(state=folded.state, status=folded.status, actions=folded.actions)
        if folded.HasField("position"):
            said.position = folded.position
        return Update(update.entry, update.part, said)

    def _evict(self) -> None:
        surplus = len(self._tables) - self._most
        if surplus <= 0:
            return
        idle = (t for t in self._tables.values() if not t.listeners and not t.lock.locked())
        for table in [t for t, _ in zip(idle, range(surplus), strict=False)]:
            del self._tables[table.match]
            if table.state is not None and not table.since and table.phase is Phase.ACTIVE:
                self.save_soon(table)

    async def _save(self, match: bytes, snapshot: Snapshot) -> None:
        try:
            await self.log.write_snapshot(match, snapshot)
        except Exception as error:  # noqa: BLE001 - a snapshot is a cache; the history is what counts
            _log.warning("snapshot_not_written", match=ids.to_text(match), type=type(error).__qualname__)
