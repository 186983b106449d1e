"""Makes the library anew from log and archive. It may run while the service reads on: rows only ever go forward."""

from collections.abc import AsyncIterator, Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Final

import structlog

from services.kit.clock import now_ms
from services.kit.log import ids, partitions
from services.kit.log.ends import START, feed_ends, is_after
from services.kit.log.entries import BrokenHistory, Entry, Unavailable
from services.kit.log.servers import NETWORK, Servers
from services.kit.parts import BadEntry
from services.replay.archive import DamagedFile
from services.replay.aside import set_aside
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.rulings import files, index
from services.replay.rulings.files import Recorded
from services.replay.summary import Summary, fold

_ALL: Final = frozenset(range(partitions.COUNT))
_STORED_AT_ONCE: Final = 200
_NEW_MS: Final = 60_000  # a match this young may have been created after the log was read
_log = structlog.get_logger()


@dataclass(slots=True)
class Counts:
    """How many matches were found where, and how many could not be read or were in the library only."""

    log: int = 0
    archive: int = 0
    unreadable: int = 0
    dropped: int = 0


Tell = Callable[[Counts], None]


def tell_nobody(_: Counts) -> None:
    """Hears how far it is and does nothing."""


async def reindex(library: Library, histories: Histories, tell: Tell = tell_nobody) -> dict[str, int]:
    """Makes every row anew, forgets matches that are nowhere, and says how many there were of each kind.

    `tell` gets the counts so far, after every `_STORED_AT_ONCE` matches and at the end of each source.
    """
    servers = histories.log.servers
    ends, started_ms = await feed_ends(servers), now_ms()
    live, counts = await fill(library, histories, _ALL, tell)
    archived = await _fill_archived(library, histories, live, counts, tell)
    await fill_rulings(library, histories)
    async for match, update_ms in library.all_ids():
        if match not in live and match not in archived and update_ms < started_ms - _NEW_MS:
            await library.forget(match)
            counts.dropped += 1
    if not await library.is_whole():
        stored = await library.positions()
        await library.store((), {p: e.last for p, e in ends.items() if is_after(e.last, stored.get(p, START))})
        await library.complete()
    return asdict(counts)


async def fill(
    library: Library, histories: Histories, homes: AbstractSet[int], tell: Tell = tell_nobody
) -> tuple[set[bytes], Counts]:
    """Stores a summary of every history that is in the log, and says of which matches."""
    seen, counts, made = set[bytes](), Counts(), list[Summary]()
    async for match in matches_of(histories.log.servers, homes):
        seen.add(match)
        made.append(await _summary(library, histories, match, counts))
        if len(made) >= _STORED_AT_ONCE:
            await _store(library, made)
            made, counts.log = [], len(seen)
            tell(counts)
    await _store(library, made)
    counts.log = len(seen)
    tell(counts)
    return seen, counts


async def fill_rulings(library: Library, histories: Histories) -> None:
    """Notes every ruling that is kept beside the archive."""
    some = list[Recorded]()
    async for recorded in files.all_of(histories.archive):
        some.append(recorded)
        if len(some) >= _STORED_AT_ONCE:
            await index.store(library.database, some)
            some = []
    await index.store(library.database, some)


async def _fill_archived(
    library: Library, histories: Histories, live: AbstractSet[bytes], counts: Counts, tell: Tell
) -> set[bytes]:
    """The same of every file of the archive."""
    seen, made = set[bytes](), list[Summary]()
    async for match in histories.archive.matches():
        seen.add(match)
        try:
            made.append(_fold(match, await histories.archive.read(match) or ()))
        except (DamagedFile, BadEntry) as error:
            _log.error("archive_not_read", match=ids.to_text(match), type=type(error).__qualname__)
            counts.unreadable += match not in live
        if len(made) >= _STORED_AT_ONCE:
            await _store_archived(library, made, live)
            made, counts.archive = [], len(seen)
            tell(counts)
    await _store_archived(library, made, live)
    counts.archive = len(seen)
    tell(counts)
    return seen


async def _store_archived(library: Library, made: list[Summary], live: AbstractSet[bytes]) -> None:
    await _store(library, made)
    archived = {summary.match for summary in made}
    await library.mark(archived, is_archived=True)
    await library.mark(archived - live, is_retired=True)


async def _summary(library: Library, histories: Histories, match: bytes, counts: Counts) -> Summary:
    """The summary, as far as the history can be read; it is set aside where it cannot."""
    summary = Summary(match)
    try:
        for entry in await histories.read_log(match):
            fold(summary, entry)
    except (BadEntry, BrokenHistory) as error:
        counts.unreadable += 1
        await set_aside(library, histories, summary, error)
    return summary


def _fold(match: bytes, entries: Iterable[Entry]) -> Summary:
    summary = Summary(match)
    for entry in entries:
        fold(summary, entry)
    return summary


async def _store(library: Library, summaries: list[Summary]) -> None:
    await library.store([summary for summary in summaries if summary.version])
    for match in await library.quarantined(s.match for s in summaries if not s.is_quarantined):
        await library.release(match)


async def matches_of(servers: Servers, homes: AbstractSet[int]) -> AsyncIterator[bytes]:
    """Every match of these partitions that has a history in the log; of one that comes or goes meanwhile perhaps."""
    for server in servers.all:
        try:
            async for key in server.client.scan_iter(match="{p*}:match:*", count=1000, _type="STREAM"):
                if partitions.partition_of_key(key) in homes:
                    yield ids.from_text(key.decode().rsplit(":", 1)[1])
        except NETWORK as error:
            raise Unavailable("the store did not tell its histories") from error
