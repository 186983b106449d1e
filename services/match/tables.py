"""Tables by match: loaded from the log, refreshed, followed, evicted. Anything here may be thrown away at any time."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import structlog
from argosy.rules.v1 import rules_service_pb2 as rules_v1

from services.kit import parts
from services.kit.errors import Reason, Refused, not_found
from services.kit.log import ids
from services.kit.log.entries import PAGE, BrokenHistory, Entry, Loaded, Snapshot, Unavailable
from services.kit.log.log import EventLog
from services.match import snapshots
from services.match.rules import RulesDirectory
from services.match.table import Listener, Phase, Table, Update, apply, open_table, wanted_by_all

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_log = structlog.get_logger()
Archive = Callable[[bytes], Awaitable[Sequence[Entry]]]
"""Reads the whole history of a match that has left the log; empty for one that never was."""
Ask = Callable[[Table, rules_v1.Wanted], Awaitable[rules_v1.FoldEventsResponse]]
_PATIENCE_S = 0.05  # for an own append to be answered after news of it came
ENDED = (Phase.ENDED, Phase.ABORTED)


class Tables:
    """The tables of one process; at most about `most` of them, the least used are evicted."""

    def __init__(
        self, log: EventLog, directory: RulesDirectory, group: asyncio.TaskGroup, archive: Archive | None, most: int
    ) -> None:
        self.log, self.directory, self.group = log, directory, group
        self._archive, self._most = archive, most
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

    async def find(self, match: bytes) -> Table | None:
        """The table; None where there is no such match."""
        table = self._tables.get(match)
        if table is not None:
            self._tables.move_to_end(match)
            return table
        task = self._loading.get(match)
        if task is None:
            task = self._loading[match] = self.group.create_task(self._attempt(match))
            task.add_done_callback(lambda _: self._loading.pop(match, None))
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
            is_more = True
            while is_more and table.phase not in ENDED:
                entries = await self._read(table.match, table.version, PAGE)
                updates += [self._fold(table, entry) for entry in entries]
                is_more = len(entries) == PAGE
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
        found = await self._read(table.match, after_version, count)
        if found or self._archive is None or after_version >= table.version:
            return found
        return (await self._archive(table.match))[after_version : after_version + count]

    def save_soon(self, table: Table) -> None:
        """Writes a snapshot of the table as it is now, in the background."""
        self.group.create_task(self._save(table.match, snapshots.take(table)))

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

    async def _attempt(self, match: bytes) -> Table | Exception | None:
        """The table, or why not: a failure belongs to those who asked, not to the process."""
        try:
            return await self._load(match)
        except Exception as failure:  # noqa: BLE001 - raised again by everybody who waits for it
            return failure

    async def _load(self, match: bytes) -> Table | None:
        with self._refusing(match):
            loaded = await self.log.load(match)
        entries, is_complete = list(loaded.entries), loaded.is_complete
        if loaded.snapshot is None and not entries:
            if loaded.is_frozen:  # a history that was lost is no match that never was
                raise frozen_match(ids.to_text(match))
            return await self._load_archived(match)
        table = self._restored(match, loaded)
        if table is None:  # a snapshot that cannot be used: fold from the beginning
            entries, is_complete = list(await self._read(match, 0, PAGE)), False
            table = self._opened(match, entries[0])
        table.is_frozen = loaded.is_frozen
        for entry in entries:
            self._fold(table, entry)
        if not is_complete:
            await self.refresh(table)
        self.put(table)
        return table

    async def _read(self, match: bytes, after_version: int, count: int) -> Sequence[Entry]:
        with self._refusing(match):
            return await self.log.read(match, after_version, count)

    @contextmanager
    def _refusing(self, match: bytes) -> Iterator[None]:
        """Failures of the log as refusals; a history that is not one is frozen."""
        try:
            yield
        except Unavailable:
            text = "the history cannot be reached"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None
        except BrokenHistory as broken:
            _log.error("history_broken", match=broken.match, version=broken.version, problem=broken.problem)
            self._freeze_soon(match, broken.version)
            raise frozen_match(broken.match) from None

    async def _load_archived(self, match: bytes) -> Table | None:
        entries = await self._archive(match) if self._archive is not None else ()
        if not entries:
            return None
        table = self._opened(match, entries[0])
        for entry in entries:
            self._fold(table, entry)
        self.put(table)
        return table

    def _restored(self, match: bytes, loaded: Loaded) -> Table | None:
        if loaded.snapshot is None:
            return self._opened(match, loaded.entries[0])
        created = snapshots.read_game(loaded.snapshot)
        if created is None:
            return None
        game = self.directory.entry(created.game, created.rules_version)
        return snapshots.restore(match, game, loaded.snapshot)

    def _opened(self, match: bytes, first: Entry) -> Table:
        try:
            part = parts.server_part(parts.opened(first.version, first.digest, first.body))
        except parts.BadEntry as bad:
            _log.error("history_broken", match=ids.to_text(match), version=1, problem=str(bad))
            self._freeze_soon(match, 1)
            raise frozen_match(ids.to_text(match)) from None
        created = part.cause.created
        return open_table(match, self.directory.entry(created.game, created.rules_version), part)

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

    def _fold(self, table: Table, entry: Entry) -> Update:
        """Folds an entry read from the log, checked against the chain."""
        try:
            sealed = parts.opened(entry.version, entry.digest, entry.body)
            part = parts.server_part(sealed)
        except parts.BadEntry as bad:
            raise self._freeze(table, entry.version, str(bad)) from None
        if entry.version != table.version + 1 or not parts.is_chained(sealed, table.digest, table.seed):
            raise self._freeze(table, entry.version, "the chain is broken")
        apply(table, sealed, part, entry.stored_request_id)
        return Update(sealed, part)

    def _freeze(self, table: Table, version: int, problem: str) -> Refused:
        """Freezes a match whose history does not fit together, for everybody; the refusal to raise."""
        table.is_frozen = True
        _log.error("history_broken", match=table.text, version=version, problem=problem)
        self._freeze_soon(table.match, version)
        return frozen(table)

    def _freeze_soon(self, match: bytes, version: int) -> None:
        self.group.create_task(self._mark_frozen(match, version))

    async def _mark_frozen(self, match: bytes, version: int) -> None:
        try:
            await self.log.freeze(match, version)
        except Unavailable:  # whoever reads the history next finds the same and freezes it then
            _log.warning("not_marked_frozen", match=ids.to_text(match), version=version)

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


def frozen(table: Table) -> Refused:
    """The refusal of everything about a frozen match."""
    return frozen_match(table.text)


def frozen_match(text: str) -> Refused:
    """The same, of a match that cannot even be read; `text` is its id."""
    problem = "the match is frozen until an operator has looked"
    return Refused(Reason.ERROR_REASON_MATCH_FROZEN, problem, match=f"matches/{text}")
