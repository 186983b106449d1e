"""A log that is older than the library: somebody put an older copy of the store back.

Matches that had ended since are completed from the archive, the others go on from where the log has them, and the
library forgets what it knew beyond that. Clients find out by version and digest: HISTORY_DIVERGED.
"""

from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Final

import structlog

from services.kit.log import checks, ids, partitions
from services.kit.log.asking import ask_apart
from services.kit.log.entries import Entry, NewHead
from services.replay.archive import DamagedFile
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.reindexing import fill, matches_of
from services.replay.summary import Summary

_AT_ONCE: Final = 200
_log = structlog.get_logger()

# KEYS  1 history  2 due     ARGV  1 the head's id  2 match id as text  3.. id, h and e of each entry that follows
_PUT_BACK: Final = """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or last[1] ~= ARGV[1] then return 0 end
for i = 3, #ARGV, 3 do redis.call('XADD', KEYS[1], ARGV[i], 'h', ARGV[i + 1], 'e', ARGV[i + 2]) end
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
"""


@dataclass(slots=True)
class Counts:
    """Of matches: put back to their end from the archive, gone on with from an earlier version, and nowhere any more.

    Those whose log and archive contradict one another were frozen.
    """

    completed: int = 0
    rewound: int = 0
    lost: int = 0
    frozen: int = 0


async def settle(library: Library, histories: Histories, homes: AbstractSet[int]) -> Counts:
    """Makes the library of these partitions what the log and the archive say; idempotent.

    Where the log is older indeed, and not only its feed lost, the store's generation is raised, and the log tells.
    """
    counts, seen = Counts(), set[bytes]()
    some = list[bytes]()
    async for match in matches_of(histories.log.servers, homes):
        seen.add(match)
        some.append(match)
        if len(some) >= _AT_ONCE:
            await _compare(library, histories, some, counts)
            some = []
    await _compare(library, histories, some, counts)
    await _forget_lost(library, histories, homes, seen, counts)
    await fill(library, histories, homes)
    if any(asdict(counts).values()):
        generation = await checks.raise_generation(histories.log.servers.of(0).client)
        _log.error("log_is_older_than_library", generation=generation, **asdict(counts))
    return counts


async def _compare(library: Library, histories: Histories, some: list[bytes], counts: Counts) -> None:
    for match, known in (await library.find(some)).items():
        head = await histories.log.head(match)
        if head is None:
            continue
        if head.version < known.version:
            await _settle(library, histories, known, head, counts)
        await library.mark([match], is_retired=False)  # it is in the log again, and leaves it as others do


async def _settle(library: Library, histories: Histories, known: Summary, head: NewHead, counts: Counts) -> None:
    """A match of which the library knew more than the log has."""
    filed = await _filed(histories, known.match)
    if not filed:
        await library.forget(known.match)
        counts.rewound += 1
    elif filed[head.version - 1].digest == head.digest and await _put_back(histories, head, filed[head.version :]):
        counts.completed += 1
    else:
        await histories.log.freeze(known.match, head.version)
        counts.frozen += 1


async def _put_back(histories: Histories, head: NewHead, entries: list[Entry]) -> bool:
    """Appends what the archive has after the head, all or nothing; false when the head is another by now."""
    keys = partitions.keys_of(head.match)
    fields = [part for entry in entries for part in (f"0-{entry.version}", entry.head, entry.body)]
    arguments = (f"0-{head.version}", keys.text, *fields)
    partition = partitions.partition_of(head.match)
    put = await ask_apart(histories.log.servers, partition, "EVAL", _PUT_BACK, 2, keys.history, keys.due, *arguments)
    return bool(put)


async def _forget_lost(
    library: Library, histories: Histories, homes: AbstractSet[int], seen: AbstractSet[bytes], counts: Counts
) -> None:
    """Forgets matches that are in neither log nor archive."""
    async for match, _ in library.all_ids():
        if match[0] not in homes or match in seen or await histories.log.head(match) is not None:
            continue
        if await _filed(histories, match) is None:
            await library.forget(match)
            counts.lost += 1


async def _filed(histories: Histories, match: bytes) -> list[Entry] | None:
    """The archived history, which is whole and chained; None where there is none."""
    try:
        return await histories.archive.read(match)
    except DamagedFile as damage:
        _log.error("archive_not_read", match=ids.to_text(match), problem=str(damage))
        return None
