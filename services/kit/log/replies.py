"""Reads what the store answers."""

from typing import Any

from services.kit.log import ids
from services.kit.log.entries import HEAD_SIZE, BrokenHistory, Entry, Gone


def entries_from(match: bytes, after_version: int, rows: list[Any]) -> tuple[Entry, ...]:
    """The rows as entries, of which every one must be the next. Raises BrokenHistory."""
    entries = []
    for version, (at, fields) in enumerate(rows, after_version + 1):
        if at != b"0-%d" % version:
            raise BrokenHistory(ids.to_text(match), version, f"the next entry is {at.decode()}")
        if len(fields) != 4 or fields[0] != b"h" or fields[2] != b"e" or len(fields[1]) != HEAD_SIZE:
            raise BrokenHistory(ids.to_text(match), version, "this is no entry of ours")
        entries.append(Entry(version, fields[1], fields[3]))
    return tuple(entries)


def version_from(match: bytes, at: bytes) -> int:
    """The version that an entry's id in the stream says. Raises BrokenHistory."""
    ms, _, version = at.partition(b"-")
    if ms != b"0":
        raise BrokenHistory(ids.to_text(match), 0, f"the last entry is {at.decode()}")
    return int(version)


def gone_from(tombstone: bytes) -> Gone:
    """What a tombstone says."""
    version, digest = tombstone.split(b"/", 1)
    return Gone(int(version), digest)
