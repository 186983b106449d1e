"""Histories of matches: read from the log or the archive, checked against the chain, folded into tables.

One that does not fit together is frozen for everybody, and refused as MATCH_FROZEN.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

import structlog

from services.kit import parts
from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.log.entries import PAGE, BrokenHistory, Entry, Loaded, Unavailable
from services.kit.log.log import EventLog
from services.match import snapshots
from services.match.rules import RulesDirectory
from services.match.table import ENDED, Table, Update, apply, open_table

_log = structlog.get_logger()
_KEPT, _KEPT_BYTES = 8, 1024 * 1024
Archive = Callable[[bytes], Awaitable[Sequence[Entry]]]
"""Reads the whole history of a match that has left the log; empty for one that never was."""


class Histories:
    """Reads histories for the tables of one process. `group` runs the freezing of those that are broken."""

    def __init__(
        self, log: EventLog, directory: RulesDirectory, group: asyncio.TaskGroup, archive: Archive | None
    ) -> None:
        self._log, self._directory, self._group, self._archive = log, directory, group, archive
        self._shelf = OrderedDict[bytes, Sequence[Entry]]()

    async def load(self, match: bytes, *, is_new: bool = False) -> Table | None:
        """The table as the history stands, from a snapshot where one can be used; None where there is no such match.

        Of one that `is_new` the archive is asked only when the store remembers that it had it.
        """
        with self._refusing(match):
            loaded = await self._log.load(match)
        entries, is_complete = list(loaded.entries), loaded.is_complete
        if loaded.snapshot is None and not entries:
            if loaded.is_frozen:  # a history that was lost is no match that never was
                raise frozen_match(ids.to_text(match))
            return None if is_new and loaded.gone is None else await self._load_archived(match)
        table = self._restored(match, loaded)
        if table is None:  # a snapshot that cannot be used: fold from the beginning
            entries, is_complete = list(await self._page(match, 0, PAGE)), False
            table = self._opened(match, entries[0])
        table.is_frozen = loaded.is_frozen
        for entry in entries:
            self._fold(table, entry)
        if not is_complete:
            _ = [update async for update in self.advance(table)]
        return table

    async def advance(self, table: Table) -> AsyncIterator[Update]:
        """Reads and folds what was recorded after the table's version, entry by entry. The caller holds its lock."""
        is_more = True
        while is_more and table.phase not in ENDED:
            entries = await self._page(table.match, table.version, PAGE)
            for entry in entries:
                yield self._fold(table, entry)
            is_more = len(entries) == PAGE

    async def entries(self, table: Table, after_version: int, count: int) -> Sequence[Entry]:
        """Up to `count` stored entries after this version, from the log or the archive."""
        found = await self._page(table.match, after_version, count)
        if found or self._archive is None or after_version >= table.version:
            return found
        whole = self._shelf.get(table.match)
        if whole is None:
            whole = await self._archive(table.match)
            self._keep(table.match, whole)
        return whole[after_version : after_version + count]

    def _keep(self, match: bytes, whole: Sequence[Entry]) -> None:
        """Keeps an archived history, which never changes, for the pages that follow; the small and the last ones."""
        if sum(len(entry.body) for entry in whole) > _KEPT_BYTES:
            return
        self._shelf[match] = whole
        while len(self._shelf) > _KEPT:
            self._shelf.popitem(last=False)

    async def _page(self, match: bytes, after_version: int, count: int) -> Sequence[Entry]:
        with self._refusing(match):
            return await self._log.read(match, after_version, count)

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
        return table

    def _restored(self, match: bytes, loaded: Loaded) -> Table | None:
        if loaded.snapshot is None:
            return self._opened(match, loaded.entries[0])
        created = snapshots.read_game(loaded.snapshot)
        if created is None:
            return None
        game = self._directory.entry(created.game, created.rules_version)
        return snapshots.restore(match, game, loaded.snapshot)

    def _opened(self, match: bytes, first: Entry) -> Table:
        try:
            part = parts.server_part(parts.opened(first.version, first.digest, first.body))
        except parts.BadEntry as bad:
            _log.error("history_broken", match=ids.to_text(match), version=1, problem=str(bad))
            self._freeze_soon(match, 1)
            raise frozen_match(ids.to_text(match)) from None
        created = part.cause.created
        return open_table(match, self._directory.entry(created.game, created.rules_version), part)

    def _fold(self, table: Table, entry: Entry) -> Update:
        """Folds an entry read from the log, checked against the chain."""
        try:
            opened = parts.opened(entry.version, entry.digest, entry.body)
            part = parts.server_part(opened)
        except parts.BadEntry as bad:
            raise self._freeze(table, entry.version, str(bad)) from None
        sealed = parts.chained(opened, table.digest, table.seed) if entry.version == table.version + 1 else None
        if sealed is None:
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
        self._group.create_task(self._mark_frozen(match, version))

    async def _mark_frozen(self, match: bytes, version: int) -> None:
        try:
            await self._log.freeze(match, version)
        except Unavailable:  # whoever reads the history next finds the same and freezes it then
            _log.warning("not_marked_frozen", match=ids.to_text(match), version=version)


def frozen(table: Table) -> Refused:
    """The refusal of everything about a frozen match."""
    return frozen_match(table.text)


def frozen_match(text: str) -> Refused:
    """The same, of a match that cannot even be read; `text` is its id."""
    problem = "the match is frozen until an operator has looked"
    return Refused(Reason.ERROR_REASON_MATCH_FROZEN, problem, match=f"matches/{text}")
