"""What is written to the log and read from it, and the answers of an append (CHAIN.md)."""

from dataclasses import dataclass, field
from typing import Any, Final

DIGEST: Final = slice(0, 32)
STORED_REQUEST_ID: Final = slice(32, 48)
REQUEST_DIGEST: Final = slice(48, 80)
HEAD_SIZE: Final = 80

MAX_ENTRY: Final = 16 * 1024
"""Bytes of one entry at most."""
MAX_STATE: Final = 256 * 1024
"""Bytes of a state at most."""
MAX_VERSION: Final = 5_000
"""Entries of a match at most."""
PAGE: Final = 256
"""Entries read at once at most: of the largest, 4 MiB, below what a server buffers for a client."""
FEW: Final = 16
"""So many are read over the connection that all questions share; those that follow come over another."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a history as stored: `head` is its field h, `body` its field e."""

    version: int
    head: bytes
    body: bytes

    @property
    def digest(self) -> bytes:
        """The digest of the chain at this entry."""
        return self.head[DIGEST]

    @property
    def stored_request_id(self) -> bytes:
        """16 bytes; zero where the platform acted."""
        return self.head[STORED_REQUEST_ID]

    @property
    def request_digest(self) -> bytes:
        """32 bytes; zero where the platform acted."""
        return self.head[REQUEST_DIGEST]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A cache of a match at a version.

    `prefixes` are the first 8 bytes of each entry's stored request id, in order; `extra` is whatever else the writer
    wants back.
    """

    version: int
    digest: bytes
    state: bytes
    prefixes: bytes
    extra: bytes = b""


@dataclass(frozen=True, slots=True)
class Append:
    """An entry to be recorded, if the history's head is `expected_version` with `expected_digest`.

    `expected_digest` does not matter before entry 1. `previous_record_time_ms` is that of the entry at
    `expected_version` (0 before entry 1). `due_ms` sets the match's deadline, 0 removes it, None leaves it.
    `snapshot` is one of the state after this entry, so its version is `expected_version` + 1.
    """

    match: bytes
    expected_version: int
    expected_digest: bytes
    digest: bytes
    body: bytes
    record_time_ms: int
    previous_record_time_ms: int
    stored_request_id: bytes = bytes(16)
    request_digest: bytes = bytes(32)
    due_ms: int | None = None
    snapshot: Snapshot | None = None

    def __post_init__(self) -> None:
        """A wrong length would shift everything behind it in the stored bytes."""
        lengths = (len(self.match), len(self.digest), len(self.stored_request_id), len(self.request_digest))
        if lengths != (16, 32, 16, 32):
            raise ValueError(f"match id, digest, stored request id and request digest have {lengths} bytes")
        if self.snapshot and (self.snapshot.version, self.snapshot.digest) != (self.expected_version + 1, self.digest):
            raise ValueError("a snapshot written with an entry is one of the state after it")
        if len(self.body) > MAX_ENTRY or self.expected_version >= MAX_VERSION:
            raise ValueError("the entry is too large, or one too many: the caller checks the limits of CHAIN.md")

    @property
    def head(self) -> bytes:
        """The entry's field h."""
        return self.digest + self.stored_request_id + self.request_digest


@dataclass(frozen=True, slots=True)
class NewHead:
    """A head that a pipeline of appends made."""

    match: bytes
    version: int
    digest: bytes


@dataclass(slots=True)
class Pipeline:
    """The new heads of appends that travelled together, and are recorded, in their order.

    One signature covers them all; whoever signs keeps it in `proof`.
    """

    heads: tuple[NewHead, ...] = ()
    proof: Any = None


@dataclass(frozen=True, slots=True)
class Appended:
    """Recorded as this version; `pipeline.heads[index]` is its head."""

    version: int
    pipeline: Pipeline = field(compare=False, default_factory=Pipeline)
    index: int = field(compare=False, default=0)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The same request is recorded as this version already: answer with that entry, never with one's own."""

    version: int


@dataclass(frozen=True, slots=True)
class RequestIdReused:
    """Another request with this request id is recorded as this version."""

    version: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The history has gone on to this version: read the tail and decide again."""

    version: int


@dataclass(frozen=True, slots=True)
class Diverged:
    """The history does not have what the caller stands on. It ends at `version`; the match is frozen from now on."""

    version: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """The match diverged before; `argosy repair` settles it."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The match has left the store; ask the archive for this head."""

    version: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Clock:
    """The entry's record_time is before its predecessor's or off the server's clock: stamp again."""

    now_ms: int


Outcome = Appended | Duplicate | RequestIdReused | Conflict | Diverged | Frozen | Gone | Clock


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a table begins with: `entries` follow the snapshot, or begin with entry 1 where there is none.

    `is_complete` is false when more entries follow. Neither snapshot nor entries: the match is `gone`, or never was.
    """

    snapshot: Snapshot | None
    entries: tuple[Entry, ...]
    is_complete: bool
    is_frozen: bool
    gone: Gone | None


class Unconfirmed(Exception):
    """Nobody knows whether it was recorded: sending began and no answer came, or replicas did not confirm it.

    The caller may send the same append again: its request id tells whether it was.
    """


class Unavailable(Exception):
    """The store cannot be reached or cannot serve now; nothing was recorded."""


class StorageLow(Exception):
    """The store has no memory or disk left for writes; nothing was recorded."""


class BrokenHistory(Exception):
    """A history that is not dense, or whose entries are not entries. It names the match, by text, and the version."""

    def __init__(self, match: str, version: int, problem: str) -> None:
        super().__init__(f"history of {match} at version {version}: {problem}")
        self.match, self.version, self.problem = match, version, problem
