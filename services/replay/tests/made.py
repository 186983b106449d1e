"""Made-up histories that hold together, for tests of library and archive; no rules service knows their game."""

import os
import time
from collections.abc import Sequence

from argosy.v1 import entry_pb2

from services.kit import chain
from services.kit.log.entries import Append, Appended, Entry
from services.kit.log.log import EventLog

Options = entry_pb2.MatchOptions


def make_history(
    match: bytes | None = None,
    *,
    players: Sequence[bytes] = (),
    length: int = 4,
    is_over: bool = True,
    options: Options | None = None,
) -> tuple[bytes, list[Entry]]:
    """A match with its entries: created with the players seated, then decisions of the first, then perhaps the end."""
    match, seed, digest = match or os.urandom(16), os.urandom(32), b""
    players, entries = players or (os.urandom(16), os.urandom(16)), list[Entry]()
    digest, now = chain.first_digest(match), time.time_ns() // 1_000_000
    for version in range(1, length + 1):
        part = entry_pb2.EntryPart(version=version, receive_time_ms=now, record_time_ms=now)
        if version == 1:
            _create(part, match, seed, players, options or Options(disclosure=Options.DISCLOSURE_AT_END))
        else:
            part.seat = 0
            part.game_events.append(b"move %d" % version)
        if is_over and version == length:
            part.end.outcome, part.end.reason = entry_pb2.End.OUTCOME_RESULT, "DONE"
            part.end.scores.extend(float(seat == 0) for seat in range(len(players)))
        request_id = b"" if version == 1 else os.urandom(16)
        entries.append(_entry(part, seed, digest, request_id))
        digest = entries[-1].digest
    return match, entries


async def record(log: EventLog, match: bytes, entries: Sequence[Entry]) -> None:
    """Appends the entries to the match's history, which holds those before."""
    head = await log.head(match)
    digest = head.digest if head else b""
    for entry in entries:
        append = Append(
            match,
            entry.version - 1,
            digest,
            entry.digest,
            entry.body,
            time.time_ns() // 1_000_000,
            0,
            stored_request_id=entry.stored_request_id,
            request_digest=entry.request_digest,
        )
        assert isinstance(await log.append(append), Appended)
        digest = entry.digest


def _create(part: entry_pb2.EntryPart, match: bytes, seed: bytes, players: Sequence[bytes], options: Options) -> None:
    created = part.cause.created
    created.match, created.game, created.rules_version = match, "made_up", "1.0.0"
    created.options.CopyFrom(options)
    created.options.min_seats = created.options.max_seats = len(players)
    created.seed_commitment, created.sealed_parts = chain.seed_commitment(match, seed), 1
    created.creator = players[0]
    for seat, player in enumerate(players):
        created.seats_taken.seats.add(seat=seat, player=player)
    part.start.seats = len(players)


def _entry(part: entry_pb2.EntryPart, seed: bytes, previous: bytes, request_id: bytes) -> Entry:
    public = part.SerializeToString(deterministic=True)
    digest_of_request = os.urandom(32) if request_id else b""
    part.server.stored_request_id, part.server.request_digest = request_id, digest_of_request
    if part.version == 1:
        part.server.seed = seed
    sealed = [part.SerializeToString(deterministic=True)]
    digest = chain.next_digest(previous, part.version, public, chain.commitments(seed, part.version, sealed))
    body = entry_pb2.StoredEntry(public_part=public, sealed_parts=sealed).SerializeToString(deterministic=True)
    head = chain.field_h(digest, request_id or bytes(16), digest_of_request or bytes(32))
    return Entry(part.version, head, body)
