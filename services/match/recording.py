"""From a request to an entry: decide, seal, append, and begin again when another was faster."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from argosy.v1 import entry_pb2

from services.kit import parts
from services.kit.errors import Reason, Refused
from services.kit.log import entries as log_entries
from services.kit.log.entries import MAX_ENTRY, MAX_VERSION, Append, Entry, Pipeline
from services.kit.parts import Sealed
from services.match import bots, holdings, snapshots
from services.match.drafts import Draft
from services.match.histories import frozen
from services.match.table import ENDED, Phase, Table, Update, apply
from services.match.tables import Tables

SNAPSHOT_EVERY = 16
_DUE_SLACK = 16  # the deadline is written anew when it moves by more than this share
Plan = Callable[[Table], Awaitable[Draft]]


@dataclass(frozen=True, slots=True)
class Request:
    """A mutation as the history will remember it. The platform's own have zero bytes and no `request_id`."""

    stored_id: bytes = bytes(16)
    digest: bytes = bytes(32)
    request_id: str = ""
    receive_time_ms: int = 0


@dataclass(frozen=True, slots=True)
class Recorded:
    """The entry that a request became, now or before; `pipeline` is None when it was before."""

    table: Table
    update: Update
    pipeline: Pipeline | None = None
    index: int = 0

    @property
    def entry(self) -> Sealed:
        """The entry as it stands in the history."""
        return self.update.entry


class Recorder:
    """Records entries of one process. `gateway` is its number in the provenance of entries."""

    def __init__(self, tables: Tables, gateway: int) -> None:
        self.tables, self._gateway = tables, gateway
        self.outcomes: Counter[str] = Counter()  # of appends, by kind

    async def record(self, table: Table, request: Request, plan: Plan) -> Recorded:
        """Records what `plan` makes of the table, exactly once for this request.

        `plan` is asked again whenever the history went on meanwhile, at most seats + 3 times; then the request is
        refused as CONTENDED. What `plan` refuses is refused only by a table that is fresh.
        """
        async with table.lock:
            for _ in range(len(table.held) + 3):
                if first := await self.first_answer(table, request):
                    return first
                if table.is_frozen:
                    await self._look_again(table)
                draft = await self._drafted(table, plan)
                if draft is not None and (recorded := await self.append(table, draft, request)):
                    return recorded
            if first := await self.first_answer(table, request):
                return first
        text = "others act on this match all the time; retry"
        raise Refused(Reason.ERROR_REASON_CONTENDED, text, retry_s=0.1, match=f"matches/{table.text}")

    async def append(self, table: Table, draft: Draft, request: Request) -> Recorded | None:
        """Appends a draft to the table it was made from; None when the history went on and the table was refreshed."""
        previous = table.record_time_ms
        now = max(int(time.time() * 1000), previous)
        for _ in range(3):
            sealed = self._seal(table, draft, request, now)
            due_ms = _due(table, draft.part, now)
            outcome = await self._send(table, sealed, request, now, due_ms)
            self.outcomes[type(outcome).__name__] += 1
            match outcome:
                case log_entries.Appended():
                    update = self._take(table, draft, sealed, request)
                    table.due_ms = table.due_ms if due_ms is None else due_ms
                    return Recorded(table, update, outcome.pipeline, outcome.index)
                case log_entries.Clock():
                    now = max(outcome.now_ms, previous)
                case log_entries.Conflict() | log_entries.Duplicate() | log_entries.RequestIdReused():
                    if table.version:  # a creation that came second has a seed of its own: its table is worth nothing
                        await self.tables.refresh(table)
                    return None
                case log_entries.Gone():
                    self.tables.forget(table)
                    raise Refused(Reason.ERROR_REASON_CONTENDED, "the match has just been archived; retry", retry_s=0.1)
                case _:
                    table.is_frozen = True
                    raise frozen(table)
        raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, "the clocks here and at the store differ", retry_s=1.0)

    async def first_answer(self, table: Table, request: Request) -> Recorded | None:
        """The entry that this request became before. Refuses REQUEST_ID_REUSED when it asked for something else."""
        for version in table.versions_of(request.stored_id):
            entry = await self.read(table, version)
            if entry.stored_request_id != request.stored_id:
                continue
            if entry.request_digest != request.digest:
                text = "this request id was used for another request"
                raise Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, text, match=f"matches/{table.text}")
            sealed = parts.opened(version, entry.digest, entry.body)
            return Recorded(table, Update(sealed, entry_pb2.EntryPart()))
        return None

    async def read(self, table: Table, version: int) -> Entry:
        """One entry of the table's history."""
        entries = await self.tables.entries(table, version - 1, 1)
        return entries[0]

    async def _drafted(self, table: Table, plan: Plan) -> Draft | None:
        """The draft; None when a refusal came from a table that was behind, which is refreshed now."""
        version = table.version
        try:
            draft = await plan(table)
        except Refused:
            if table.phase in ENDED:
                raise
            await self.tables.refresh(table)
            if table.version == version:
                raise
            return None
        return draft if table.version == version else None

    def _seal(self, table: Table, draft: Draft, request: Request, now: int) -> Sealed:
        part, server = draft.part, draft.server
        part.version, part.receive_time_ms, part.record_time_ms = table.version + 1, request.receive_time_ms or now, now
        part.ClearField("game_events")
        part.ClearField("server")
        server.provenance.gateway = self._gateway
        if request.request_id:
            server.stored_request_id, server.request_digest = request.stored_id, request.digest
        sealed = parts.seal(table.seal, table.digest, part, draft.events, server)
        if limit := exceeded(sealed, part):
            text = f"the {limit} would be larger than the platform allows"
            raise Refused(Reason.ERROR_REASON_TOO_LARGE, text, match=f"matches/{table.text}", limit=limit)
        return sealed

    async def _send(
        self, table: Table, sealed: Sealed, request: Request, now: int, due_ms: int | None
    ) -> log_entries.Outcome:
        append = Append(
            match=table.match,
            expected_version=table.version,
            expected_digest=table.digest,
            digest=sealed.digest,
            body=sealed.stored,
            record_time_ms=now,
            previous_record_time_ms=table.record_time_ms,
            stored_request_id=request.stored_id,
            request_digest=request.digest,
            due_ms=due_ms,
        )
        try:
            return await self.tables.log.append(append)
        except log_entries.Unconfirmed:
            text = "nobody knows yet whether it was recorded; retry the same request"
            raise Refused(Reason.ERROR_REASON_UNCONFIRMED, text, retry_s=0.2, match=f"matches/{table.text}") from None
        except log_entries.StorageLow:
            raise Refused(Reason.ERROR_REASON_STORAGE_LOW, "the store has no room", retry_s=5.0) from None
        except log_entries.Unavailable:
            text = "the history cannot be reached"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None

    def _take(self, table: Table, draft: Draft, sealed: Sealed, request: Request) -> Update:
        """Folds what was just recorded into the table and tells its listeners."""
        apply(table, sealed, draft.part, request.stored_id)
        table.checked = asyncio.get_running_loop().time()  # it would not have been taken had anything been missed
        if draft.decision is not None:
            table.learn(draft.decision.state, draft.decision.status)
        if snapshots.is_due(table, SNAPSHOT_EVERY):
            self.tables.save_soon(table)
        if draft.part.HasField("end"):
            bots.release(self.tables, table)
            holdings.release(self.tables, table)
        update = Update(sealed, draft.part, draft.decision, request.request_id)
        self.tables.tell(table, update)
        return update

    async def _look_again(self, table: Table) -> None:
        """A frozen match may have been repaired meanwhile."""
        loaded = await self.tables.log.load(table.match)
        if loaded.is_frozen:
            raise frozen(table)
        table.is_frozen = False


def is_due(table: Table, now: int) -> bool:
    """Whether something must be done to the match because nothing has happened for so long. Times are in ms."""
    due = _deadline(table, entry_pb2.EntryPart(), table.record_time_ms)
    early = table.options.idle_seconds * 1000 // _DUE_SLACK if table.phase is Phase.ACTIVE else 0
    return table.phase not in ENDED and now >= due - early


def exceeded(sealed: Sealed, part: entry_pb2.EntryPart) -> str:
    """Which limit of CHAIN.md the entry is beyond, "" for none. The last entry of a match must be its end."""
    if len(sealed.stored) > MAX_ENTRY:
        return "entry"
    return "history" if sealed.version > MAX_VERSION - (not part.HasField("end")) else ""


def _due(table: Table, part: entry_pb2.EntryPart, now: int) -> int | None:
    """The deadline to write with this entry, in ms: 0 removes it, None leaves it as it is."""
    due = _deadline(table, part, now)
    limit = table.options.idle_seconds * 1000
    is_near = table.due_ms and table.phase is Phase.ACTIVE and 0 <= due - table.due_ms < limit // _DUE_SLACK
    return None if is_near else due


def _deadline(table: Table, part: entry_pb2.EntryPart, now: int) -> int:
    """When somebody must look at the match if nothing happens after this entry; 0 for a match that is over."""
    options = table.options
    if part.HasField("end"):
        return 0
    if part.HasField("start") or table.phase is Phase.ACTIVE:
        return now + options.idle_seconds * 1000
    expires = (table.create_time_ms or now) + options.expire_seconds * 1000
    is_waiting_for_ready = options.ready_required and _taken_after(table, part) == options.max_seats
    return min(expires, now + options.ready_seconds * 1000) if is_waiting_for_ready else expires


def _taken_after(table: Table, part: entry_pb2.EntryPart) -> int:
    """How many seats are taken once this entry stands."""
    cause, before = part.cause, sum(held is not None for held in table.held)
    taken = cause.created.seats_taken.seats if cause.HasField("created") else cause.seats_taken.seats
    return before + len(taken) - cause.HasField("seat_left")
