"""Histories as the log has them, whole: read, and checked to follow from one another (CHAIN.md).

For audits by the operator's own tools, which may see everything.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from argosy.v1 import entry_pb2
from google.protobuf.message import DecodeError, Message

from services.kit import chain, parts
from services.kit.log.entries import PAGE, BrokenHistory, Entry
from services.kit.log.log import EventLog
from services.kit.redaction import Redactor


class Difference(Exception):
    """A history that is not as it must be: `match` by name, the `version`, and what is wrong, without hidden values."""

    def __init__(self, match: str, version: int, problem: str) -> None:
        super().__init__(f"{match} at version {version}: {problem}")
        self.match, self.version, self.problem = match, version, problem


@dataclass(frozen=True, slots=True)
class History:
    """A whole history: of each entry what the server knows, events and draws included. Its chain has been checked."""

    name: str
    entries: Sequence[entry_pb2.EntryPart]
    key: bytes

    @property
    def created(self) -> entry_pb2.PlatformEvent.Created:
        """How the match began."""
        return self.entries[0].cause.created

    @property
    def seats(self) -> int:
        """The number of seats it was started with; 0 if it never was."""
        return next((e.start.seats for e in self.entries if e.HasField("start")), 0)

    @property
    def end(self) -> entry_pb2.End | None:
        """How it ended; None while it goes on."""
        return self.entries[-1].end if self.entries[-1].HasField("end") else None


async def read_entries(log: EventLog, name: str, match: bytes) -> list[Entry]:
    """All entries of the match. Raises Difference for one that is missing or cannot be read."""
    found: list[Entry] = []
    try:
        while page := await log.read(match, len(found)):
            found += page
            if len(page) < PAGE:
                break
    except BrokenHistory as broken:
        raise Difference(name, broken.version, broken.problem) from None
    if not found:
        raise Difference(name, 0, "there is no history")
    return found


def check_history(name: str, match: bytes, entries: Sequence[Entry], event: type[Message]) -> History:
    """The history, once every entry is what its successor's digest stands on, and split as the redactor splits.

    Each entry is sealed again from what the server knows: its digest proves that what viewers received is what they
    may see of it. `event` is the game's Event message. Raises Difference.
    """
    whole = [_opened(name, entry) for entry in entries]
    created, seed = whole[0].cause.created, whole[0].server.seed
    if created.match != match or created.seed_commitment != chain.seed_commitment(match, seed):
        raise Difference(name, 1, "the first entry does not create this match, or its seed is another")
    by = parts.Seal(match, seed, created.options.max_seats, created.sealed_parts, Redactor(event))
    previous = chain.first_digest(match)
    for entry, part in zip(entries, whole, strict=True):
        _check_entry(name, entry, part, _sealed_again(by, previous, part))
        previous = entry.digest
    for version, (before, part) in enumerate(itertools.pairwise(whole), 2):
        if before.HasField("end") or part.record_time_ms < before.record_time_ms:
            raise Difference(name, version, "it comes after the end, or before its predecessor")
    return History(name, whole, _key(whole, seed))


def _opened(name: str, entry: Entry) -> entry_pb2.EntryPart:
    try:
        return parts.server_part(parts.opened(entry.version, entry.digest, entry.body))
    except DecodeError:
        raise Difference(name, entry.version, "the entry cannot be read") from None


def _sealed_again(by: parts.Seal, previous: bytes, part: entry_pb2.EntryPart) -> parts.Sealed:
    bare = entry_pb2.EntryPart()
    bare.CopyFrom(part)
    bare.ClearField("game_events")
    bare.ClearField("server")
    return parts.seal(by, previous, bare, part.game_events, part.server)


def _check_entry(name: str, entry: Entry, part: entry_pb2.EntryPart, again: parts.Sealed) -> None:
    if part.version != entry.version or again.stored != entry.body:
        raise Difference(name, entry.version, "its parts are not what the whole entry gives each viewer")
    if again.digest != entry.digest:
        raise Difference(name, entry.version, "its digest does not follow from it and its predecessor")
    known = (part.server.stored_request_id or bytes(16), part.server.request_digest or bytes(32))
    if known != (entry.stored_request_id, entry.request_digest):
        raise Difference(name, entry.version, "its request is not the one that its part names")


def _key(whole: Sequence[entry_pb2.EntryPart], seed: bytes) -> bytes:
    """The key of all draws: the seed with what the seats contributed until the start."""
    given: dict[int, bytes] = {}
    for part in whole:
        cause = part.cause
        for taken in (*cause.created.seats_taken.seats, *cause.seats_taken.seats):
            given[taken.seat] = taken.contribution
        if cause.HasField("seat_left"):
            given.pop(cause.seat_left.seat, None)
        if cause.HasField("seat_readied") and cause.seat_readied.contribution:
            given[cause.seat_readied.seat] = cause.seat_readied.contribution
        if part.HasField("start"):
            return chain.match_key(seed, [given.get(seat, b"") for seat in range(part.start.seats)])
    return b""
