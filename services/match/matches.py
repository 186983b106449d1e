"""Everything that can be done to a match, as calls: the one writer of histories, for gateway and matchmaking."""

import contextlib
import time

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.match import creation, deciding, drafts, holdings, lines, moves, seating
from services.match.creation import Wish
from services.match.deciding import Decider
from services.match.drafts import Draft
from services.match.late import Stand
from services.match.moves import Move
from services.match.recording import Recorded, Recorder, Request, is_due
from services.match.seating import Seats, Taken
from services.match.starting import checked_settings, with_start
from services.match.table import ENDED, Phase, Table, held_of, open_table
from services.match.tables import Tables
from services.match.viewers import require_sight

_NOTHING = rules_v1.Wanted()


class _NotDue(Exception):
    """The match went on."""


class Matches:
    """Creates, joins, starts, plays and ends matches."""

    def __init__(self, tables: Tables, recorder: Recorder, decider: Decider) -> None:
        self.tables, self._recorder, self._decider = tables, recorder, decider
        tables.ask = self.learn

    def counts(self) -> dict[tuple[str, str], int]:
        """How appends ended so far, for Prometheus."""
        return {("appends", kind): count for kind, count in self._recorder.outcomes.items()}

    async def create(self, wish: Wish, request: Request, request_id: bytes) -> Recorded:
        """Creates the match of this request, or finds it. `request_id` is as sent. Refuses BAD_SETTINGS.

        The archive is asked only where the id may be older than what the store remembers. Refuses STORAGE_LOW where
        the store is nearly full, unless the match is made of tickets that were taken.
        """
        match = ids.match_id(wish.creator, request_id)
        is_new = creation.is_new(request_id, time.time_ns() // 1_000_000)
        existing = await self.tables.find(match, is_new=is_new)
        if existing is None:
            if not wish.tickets:
                await self.tables.log.capacity.check()
            options, settings = await self.checked(wish)
            part = creation.first_part(match, wish, options, settings)
            table = open_table(match, wish.game, part)
            draft = Draft(part, server=entry_pb2.ServerPart(seed=part.server.seed))
            held: Seats = [None] * options.max_seats
            for taken in wish.taken:
                held[taken.seat] = held_of(table, taken)
            await with_start(self.tables, table, draft, held)
            people = holdings.people(wish.taken)
            await holdings.mark(self.tables, match, people, wish.tickets)
            if recorded := await self._record_first(table, draft, request):
                holdings.tell(self.tables, people)
                return recorded
            # A load that others share may have begun before the creation was recorded; the next one has not.
            existing = await self.tables.find(match) or await self.tables.get(match)
        first = await self._recorder.first_answer(existing, request)
        if first is None:
            raise Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, "this request id was used before")
        return first

    async def checked(self, wish: Wish) -> tuple[entry_pb2.MatchOptions, bytes]:
        """Options and settings in full, defaults filled in. Refuses what no match could be made of."""
        options = creation.completed(wish.options, wish.game)
        creation.check_seats(wish, options)
        return options, await checked_settings(wish, options)

    async def join(self, match: bytes, taken: Taken, request: Request, *, asked_by: bytes, any_seat: bool) -> Recorded:
        """Takes a seat; the one named, or the first open one. What fills the last seat starts the match."""

        async def plan(table: Table) -> Draft:
            draft, held = seating.taken(table, taken, asked_by=asked_by, any_seat=any_seat)
            await holdings.mark(self.tables, match, people, {})
            return await with_start(self.tables, table, draft, held)

        people = holdings.people((taken,))
        recorded = await self._recorder.record(await self.tables.get(match), request, plan)
        holdings.tell(self.tables, people)
        return recorded

    async def ready(
        self, match: bytes, player: bytes, seat: int | None, contribution: bytes, request: Request
    ) -> Recorded:
        """Makes a seat ready; what makes the last one ready starts the match."""

        async def plan(table: Table) -> Draft:
            draft, held = seating.readied(table, player, seat, contribution)
            return await with_start(self.tables, table, draft, held)

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def leave(self, match: bytes, player: bytes, seat: int | None, request: Request) -> Recorded:
        """Gives a seat up before the start."""

        async def plan(table: Table) -> Draft:
            return seating.left(table, player, seat)

        recorded = await self._recorder.record(await self.tables.get(match), request, plan)
        holdings.tell(self.tables, (player,))
        return recorded

    async def resign(self, match: bytes, player: bytes, seat: int | None, request: Request) -> Recorded:
        """Gives the match up for a seat."""

        async def plan(table: Table) -> Draft:
            require_sight(table, player)
            drafts.require_active(table)
            return drafts.resigned(table, drafts.own_seat(table, player, seat))

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def act(self, table: Table, move: Move, request: Request, wanted: rules_v1.Wanted = _NOTHING) -> Recorded:
        """Decides and records one action of the player's seat."""

        async def plan(table: Table) -> Draft:
            own = drafts.own_seat(table, move.player, move.seat)
            drafts.require_active(table)
            moves.check_expected(table, move)
            return await moves.decided(self._decider, table, own, move.action, wanted)

        return await self._recorder.record(table, request, plan)

    async def abort(self, match: bytes, reason: str) -> Recorded:
        """Ends a match without a result, for the platform."""

        async def plan(_: Table) -> Draft:
            return drafts.aborted(reason)

        return await self._recorder.record(await self.tables.get(match), Request(), plan)

    async def close(
        self, match: bytes, outcome: entry_pb2.End.Outcome.ValueType, reason: str, request: Request
    ) -> Recorded:
        """Ends a match, started or not, without a result (OUTCOME_ABORTED) or as void (OUTCOME_VOIDED), for a host."""

        async def plan(table: Table) -> Draft:
            return drafts.closed(table, outcome, reason)

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def settle_due(self, match: bytes) -> None:
        """Does what is due: starts a match whose players did not say ready in time, ends one that is idle or empty.

        Nothing where somebody else has done it, or acted, meanwhile.
        """
        table = await self.tables.fresh(match)
        if table.phase in ENDED or table.is_frozen:
            return
        with contextlib.suppress(_NotDue):
            await self._recorder.record(table, Request(), self._overdue)

    async def learn(self, table: Table, wanted: rules_v1.Wanted = _NOTHING) -> rules_v1.FoldEventsResponse:
        """State, status and what else is wanted of the table as it stands; the table keeps state and status."""
        version, request = table.version, rules_v1.FoldEventsRequest(basis=table.basis(), wanted=wanted)
        folded = await self._decider.fold(table.game, request)
        if table.version == version:
            table.learn(folded.state, folded.status)
        return folded

    async def learn_late(self, table: Table, stand: Stand) -> rules_v1.FoldEventsResponse:
        """Position and status of the table as it stood; the table is left as it is."""
        created = table.created
        setup = rules_v1.Basis.Setup(settings=created.settings, seats=stand.seats)
        basis = rules_v1.Basis(game=created.game, rules_version=created.rules_version, setup=setup, events=stand.events)
        request = rules_v1.FoldEventsRequest(basis=basis, wanted=rules_v1.Wanted(position=True))
        try:
            folded: rules_v1.FoldEventsResponse = await lines.answered(table.game.stub.FoldEvents, request)
        except grpc.aio.AioRpcError as error:
            raise deciding.unavailable(table.game, error) from None
        return folded

    async def _overdue(self, table: Table) -> Draft:
        now = int(time.time() * 1000)
        if not is_due(table, now):  # this is asked again when the history went on
            raise _NotDue
        if table.phase is Phase.ACTIVE:
            return drafts.aborted("IDLE", outcome=entry_pb2.End.OUTCOME_ABANDONED)
        if now >= table.create_time_ms + table.options.expire_seconds * 1000:
            return drafts.aborted("EXPIRED")
        draft, held = seating.readied_by_time(table)
        return await with_start(self.tables, table, draft, held)

    async def _record_first(self, table: Table, draft: Draft, request: Request) -> Recorded | None:
        async with table.lock:
            recorded = await self._recorder.append(table, draft, request)
        if recorded is not None:
            self.tables.put(table)
        return recorded
