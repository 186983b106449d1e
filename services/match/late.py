"""A match as it stood a while ago, for spectators who are shown it late (SPECTATORS_DELAYED).

Everything is read from the history and folded from its beginning: a look costs as much as loading the match anew.
"""

import time
from dataclasses import dataclass, field

from argosy.v1 import entry_pb2

from services.kit import chain, parts
from services.match.table import Table
from services.match.tables import Tables
from services.match.viewers import Viewer, may_have

_PAGE = 64


@dataclass(slots=True)
class Stand:
    """A match after some entry: its version, digest and time, and with how many seats it was started, 0 before."""

    version: int
    digest: bytes
    record_time_ms: int
    seats: int = 0
    events: list[bytes] = field(default_factory=list)


async def newest(tables: Tables, table: Table, viewer: Viewer, after_version: int) -> int:
    """The last version that the viewer may have now, who has had `after_version`."""
    version = after_version
    while version < table.version:
        entries = await tables.entries(table, version, min(_PAGE, table.version - version))
        for entry in entries:
            public = parts.opened(entry.version, entry.digest, entry.body).public_part
            if not may_have(table, viewer, entry_pb2.EntryPart.FromString(public), time.time() * 1000):
                return version
            version = entry.version
    return version


async def stand_at(tables: Tables, table: Table, version: int) -> Stand:
    """How the match stood after this entry; after 0 it has only its name."""
    stand = Stand(0, chain.first_digest(table.match), table.create_time_ms)
    while stand.version < version:
        for entry in await tables.entries(table, stand.version, min(_PAGE, version - stand.version)):
            part = parts.server_part(parts.opened(entry.version, entry.digest, entry.body))
            stand.version, stand.digest, stand.record_time_ms = entry.version, entry.digest, part.record_time_ms
            stand.seats = part.start.seats if part.HasField("start") else stand.seats
            stand.events.extend(part.game_events)
    return stand
