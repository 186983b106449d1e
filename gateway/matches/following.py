"""Following a match: every entry once and in order, live from memory, behind from the history.

While a Follower is live, an entry goes from the recorder into the sink in one step, without a task of its own. Where
the sink is full, or an entry is missing, it reads the history instead, at the reader's pace.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from argosy.v1 import entry_pb2, match_service_pb2

from gateway.matches import shapes
from gateway.matches.sinks import Sink
from gateway.matches.stored import Stored
from services.kit import chain, parts, wire
from services.kit.errors import Reason, Refused, invalid
from services.kit.log.entries import Entry
from services.kit.waiting import is_set_within
from services.match import late
from services.match.drafts import facts
from services.match.matches import Matches
from services.match.table import ENDED, Listener, Phase, Table, Update
from services.match.viewers import Viewer, may_have

Watched = match_service_pb2.WatchMatchResponse
_UPDATE = Watched.UPDATE_FIELD_NUMBER
HEARTBEAT_S = 15.0
_PAGE = 64
_DELAY_POLL_S = 1.0


class Follower:
    """One viewer's way through one match.

    `emit` takes each WatchMatchResponse, serialized, and the request id that it answers or "".
    """

    def __init__(
        self,
        matches: Matches,
        table: Table,
        viewer: Viewer,
        wanted: match_service_pb2.Wanted,
        *,
        sink: Sink[Any],
        emit: Callable[[bytes, str], None],
    ) -> None:
        self.table, self.viewer = table, viewer
        self._matches, self._wanted, self._sink, self._emit = matches, wanted, sink, emit
        self._shape = shapes.wanted_by(wanted)
        self._sent, self._is_live, self._is_over = 0, False, False
        self._digest, self._beaten = b"", time.monotonic()
        self._call = asyncio.Event()
        self._see: Callable[[int], None] = lambda _: None
        seats = (viewer.seat,) if wanted.actions and viewer.seat is not None else ()
        self._listener = Listener(self._hear, wanted.position, seats, wanted.labels)
        self._stored = Stored(matches, table, viewer, wanted, seats)

    @property
    def sent(self) -> int:
        """The last version that was sent, or is not to be sent."""
        return self._sent

    async def run(
        self,
        after: match_service_pb2.Head | None,
        snapshot: Callable[[], Awaitable[match_service_pb2.Match]],
        see: Callable[[int], None],
    ) -> None:
        """Sends the match, or what follows `after`, then every entry; returns after the one that ends the match.

        Each version sent is told to `see`.
        """
        tables, self._see = self._matches.tables, see
        tables.follow(self.table, self._listener)
        try:
            await self._begin(after, snapshot)
            await self._catch_up()
            while not self._is_over:
                await self._be_live()
                await self._catch_up()
        finally:
            tables.unfollow(self.table, self._listener)

    async def _begin(
        self, after: match_service_pb2.Head | None, snapshot: Callable[[], Awaitable[match_service_pb2.Match]]
    ) -> None:
        if after is not None:
            self._sent, self._digest = after.version, await self._check(after)
        if after is None or self._lacks_all(after):
            match = await snapshot()
            if after is None or match.head.version == after.version:  # else what follows brings what is wanted
                self._sent, self._digest = match.head.version, match.head.digest
                self._see(self._sent)
                self._emit(Watched(match=match).SerializeToString(), "")
        self._is_over = self.table.phase in ENDED and self._sent >= self.table.version

    def _lacks_all(self, after: match_service_pb2.Head) -> bool:
        """Whether who resumes here would get nothing of what it wants before the next entry."""
        wants = self._wanted.position or self._wanted.actions
        is_going_on = self.table.phase is Phase.ACTIVE and not self.viewer.is_delayed
        return wants and is_going_on and after.version == self.table.version

    async def _check(self, after: match_service_pb2.Head) -> bytes:
        """The digest of the caller's last entry. Refuses HISTORY_DIVERGED unless it is one of this history."""
        table = self.table
        if after.version < 0:
            raise invalid("after.version", "must not be negative")
        if after.version > table.version:
            async with table.lock:
                await self._matches.tables.refresh(table)
        if after.version == 0:
            digest = chain.first_digest(table.match)
        else:
            entries = await self._matches.tables.entries(table, after.version - 1, 1)
            digest = entries[0].digest if entries and self._may_have(entries[0]) else b""
        if not digest or (after.digest and after.digest != digest):
            text = f"what you hold of version {after.version} is not this match's history"
            if self.viewer.is_delayed:  # it is not to learn how far the match is
                raise Refused(Reason.ERROR_REASON_HISTORY_DIVERGED, text, match=f"matches/{table.text}")
            raise Refused(Reason.ERROR_REASON_HISTORY_DIVERGED, text, **facts(table), digest=table.digest.hex())
        return digest

    def _may_have(self, entry: Entry) -> bool:
        public = parts.opened(entry.version, entry.digest, entry.body).public_part
        return may_have(self.table, self.viewer, entry_pb2.EntryPart.FromString(public), time.time() * 1000)

    async def _be_live(self) -> None:
        """Lets entries through as they are recorded until something must be read; sends heartbeats meanwhile."""
        self._call.clear()
        self._is_live = not self.viewer.is_delayed
        wait = HEARTBEAT_S if self._is_live else _DELAY_POLL_S
        while not self._call.is_set() and not self._is_over:
            if not await is_set_within(self._call, wait):
                await self._beat()
        self._is_live = False

    async def _beat(self) -> None:
        if not self._is_live:
            self._call.set()
            if time.monotonic() - self._beaten >= HEARTBEAT_S and not self._sink.is_full:
                self._beaten = time.monotonic()
                head = match_service_pb2.Head(version=self._sent, digest=self._digest)
                self._emit(Watched(heartbeat=head).SerializeToString(), "")
            return
        await self._matches.tables.check(self.table, HEARTBEAT_S - 1)
        if self._sent != self.table.version:
            self._call.set()
        elif self._is_live and not self._sink.is_full:
            self._emit(Watched(heartbeat=shapes.head_of(self.table)).SerializeToString(), "")

    def _hear(self, update: Update) -> None:
        """Takes an entry at the moment it is folded into the table."""
        version = update.entry.version
        if not self._is_live or version <= self._sent:
            self._call.set()
            return
        if version != self._sent + 1 or self._sink.is_full or self._lacks(update):
            self._is_live = False
            self._call.set()
            return
        self._send(update)

    def _lacks(self, update: Update) -> bool:
        """Whether something wanted did not come along: it was decided elsewhere, or before this listener came."""
        said, seats = update.decision, self._listener.wants_actions_of
        if said is None:
            return self._wanted.position or bool(seats)
        is_listed = all(any(found.seat == seat for found in said.actions) for seat in seats)
        return not is_listed or (self._wanted.position and not said.HasField("position"))

    def _send(self, update: Update) -> None:
        shape = shapes.update_for(self.table, self.viewer, self._shape, update)
        self._sent, self._digest = update.entry.version, update.entry.digest
        self._see(self._sent)
        self._emit(wire.delimited(_UPDATE, shape), update.request_id)
        if update.part.HasField("end"):
            self._is_over = True
            self._call.set()

    async def _catch_up(self) -> None:
        """Sends from the history until nothing is left that this viewer may have now."""
        while not self._is_over and self._sent < (newest := await self._newest()):
            count = min(_PAGE, newest - self._sent)  # never beyond what the table knows
            entries = await self._matches.tables.entries(self.table, self._sent, count)
            for entry in entries:
                await self._sink.room()
                self._send(await self._stored.read(entry, is_newest=entry.version == newest))

    async def _newest(self) -> int:
        """The last version that this viewer may have now."""
        if not self.viewer.is_delayed:
            return self.table.version
        return await late.newest(self._matches.tables, self.table, self.viewer, self._sent)
