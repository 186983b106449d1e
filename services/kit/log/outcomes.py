"""An append as it is sent to a server, and what the server's reply means."""

from dataclasses import dataclass
from typing import Any, Final

import hiredis
from redis.exceptions import AskError, MovedError, ResponseError

from services.kit.log import ids, library, partitions
from services.kit.log.asking import meaning
from services.kit.log.entries import (
    Append,
    Appended,
    BrokenHistory,
    Clock,
    Conflict,
    Diverged,
    Duplicate,
    Frozen,
    NewHead,
    Outcome,
    Pipeline,
    RequestIdReused,
)
from services.kit.log.replies import gone_from

_BY_VERSION: Final[dict[bytes, type[Duplicate | RequestIdReused | Conflict | Diverged]]] = {
    b"DUPLICATE": Duplicate,
    b"REQUEST_ID_REUSED": RequestIdReused,
    b"CONFLICT": Conflict,
    b"DIVERGED": Diverged,
}


@dataclass(frozen=True, slots=True)
class Redirect:
    """Nothing was recorded: another server has the partition, or (`asking`) is taking it over."""

    host: str
    port: int
    asking: bool


def packed(append: Append) -> bytes:
    """The call as sent."""
    keys = partitions.keys_of(append.match)
    names = (keys.history, keys.feed, keys.frozen, keys.gone, keys.snap, keys.due)
    due = "" if append.due_ms is None else append.due_ms
    arguments = (
        append.expected_version,
        append.expected_digest,
        append.head,
        append.body,
        keys.text,
        append.record_time_ms,
        append.previous_record_time_ms,
        due,
    )
    snap = append.snapshot
    snapshot = (snap.digest, snap.state, snap.prefixes, snap.extra) if snap else ()
    return pack("FCALL", library.APPEND, len(names), *names, *arguments, *snapshot)


def pack(*words: Any) -> bytes:
    """A command as sent; in C, since redis-py's own packing takes longer than everything else here."""
    command: bytes = hiredis.pack_command(words)
    return command


def outcome_of(append: Append, reply: Any, pipeline: Pipeline, heads: list[NewHead]) -> Outcome | Redirect | Exception:
    """What the reply to an append means; a new head is added to those of its pipeline."""
    if isinstance(reply, ResponseError):
        return _refusal(append, reply)
    code = reply[0]
    if code == b"OK":
        heads.append(NewHead(append.match, reply[1], append.digest))
        return Appended(reply[1], pipeline, len(heads) - 1)
    if code in _BY_VERSION:
        return _BY_VERSION[code](reply[1])
    if code == b"GONE":
        return gone_from(reply[1])
    return Clock(reply[1]) if code == b"CLOCK" else Frozen()


def _refusal(append: Append, error: ResponseError) -> Redirect | Exception:
    """What a server that refused the call means; it recorded nothing."""
    if isinstance(error, AskError):  # MovedError is one too
        return Redirect(error.host, error.port, not isinstance(error, MovedError))
    meant = meaning(error)
    if meant is not error:
        return meant
    return BrokenHistory(ids.to_text(append.match), append.expected_version, f"the store refused: {error}")
