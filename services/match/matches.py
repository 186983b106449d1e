"""Everything that can be done to a match, as calls: the one writer of histories, for gateway and matchmaking."""

import time
from dataclasses import dataclass
from typing import Any

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from services.kit import chain
from services.kit.errors import Reason, Refused, invalid, not_found
from services.kit.log import ids
from services.match import bots, creation, deciding, drafts
from services.match.creation import Wish
from services.match.deciding import Decider
from services.match.drafts import Draft
from services.match.recording import Recorded, Recorder, Request
from services.match.table import Held, Phase, Table, held_of, open_table, wanted_by_all
from services.match.tables import Tables

_DEADLINE_S = 10.0
_NOBODY = rules_v1.Wanted()
Taken = entry_pb2.PlatformEvent.SeatsTaken.Taken


@dataclass(frozen=True, slots=True)
class Move:
    """An action that a player asks for. `action` is the game's Action message; `seat` None means the only one held.

    `expected_version` is what the player decided on, None for whatever stands; `expected_digest` its digest, or b"".
    """

    player: bytes
    seat: int | None
    action: bytes
    expected_version: int | None = None
    expected_digest: bytes = b""


class Matches:
    """Creates, joins, starts, plays and ends matches."""

    def __init__(self, tables: Tables, recorder: Recorder, decider: Decider) -> None:
        self.tables, self._recorder, self._decider = tables, recorder, decider
        tables.ask = self.learn

    def counts(self) -> dict[tuple[str, str], int]:
        """How appends ended so far, for Prometheus."""
        return {("appends", kind): count for kind, count in self._recorder.outcomes.items()}

    async def create(self, wish: Wish, request: Request, request_id: bytes) -> Recorded:
        """Creates the match of this request, or finds it. `request_id` is as sent. Refuses BAD_SETTINGS."""
        match = ids.match_id(wish.creator, request_id)
        existing = await self.tables.find(match)
        if existing is None:
            options, settings = await self.checked(wish)
            part = creation.first_part(match, wish, options, settings)
            table = open_table(match, wish.game, part)
            draft = Draft(part, server=entry_pb2.ServerPart(seed=part.server.seed))
            held: list[Held | None] = [None] * options.max_seats
            for taken in wish.taken:
                held[taken.seat] = held_of(table, taken)
            await self._with_start(table, draft, held)
            if recorded := await self._record_first(table, draft, request):
                return recorded
            existing = await self.tables.get(match)
        first = await self._recorder.first_answer(existing, request)
        if first is None:
            raise Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, "this request id was used before")
        return first

    async def checked(self, wish: Wish) -> tuple[entry_pb2.MatchOptions, bytes]:
        """Options and settings in full, defaults filled in. Refuses what no match could be made of."""
        options = creation.completed(wish.options, wish.game)
        creation.check_seats(wish, options)
        return options, await self._checked_settings(wish, options)

    async def join(self, match: bytes, taken: Taken, request: Request, *, asked_by: bytes, any_seat: bool) -> Recorded:
        """Takes a seat; the one named, or the first open one. What fills the last seat starts the match."""

        async def plan(table: Table) -> Draft:
            drafts.require_open(table)
            creation.check_policy(table.game, taken.bot_policy)
            creation.check_contribution(taken.contribution)
            if taken.bot_policy and table.created.creator != asked_by:
                raise not_found(f"matches/{table.text}")
            seat = Taken()
            seat.CopyFrom(taken)
            seat.seat = _open_seat(table, None if any_seat else taken.seat)
            if not taken.bot_policy:
                _check_one_seat_each(table, taken.player)
            part = entry_pb2.EntryPart(seat=seat.seat)
            part.cause.seats_taken.seats.append(seat)
            held = _held_after(table, seat)
            return await self._with_start(table, Draft(part), held)

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def ready(
        self, match: bytes, player: bytes, seat: int | None, contribution: bytes, request: Request
    ) -> Recorded:
        """Makes a seat ready; what makes the last one ready starts the match."""

        async def plan(table: Table) -> Draft:
            drafts.require_open(table)
            creation.check_contribution(contribution)
            own = drafts.own_seat(table, player, seat)
            part = entry_pb2.EntryPart(seat=own)
            part.cause.seat_readied.seat, part.cause.seat_readied.contribution = own, contribution
            held, mine = list(table.held), table.held[own]
            assert mine is not None
            held[own] = Held(player, mine.bot_policy, contribution or mine.contribution, is_ready=True)
            return await self._with_start(table, Draft(part), held)

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def leave(self, match: bytes, player: bytes, seat: int | None, request: Request) -> Recorded:
        """Gives a seat up before the start."""

        async def plan(table: Table) -> Draft:
            drafts.require_open(table)
            own = drafts.own_seat(table, player, seat)
            part = entry_pb2.EntryPart(seat=own)
            part.cause.seat_left.seat = own
            return Draft(part)

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def resign(self, match: bytes, player: bytes, seat: int | None, request: Request) -> Recorded:
        """Gives the match up for a seat."""

        async def plan(table: Table) -> Draft:
            drafts.require_active(table)
            return drafts.resigned(table, drafts.own_seat(table, player, seat))

        return await self._recorder.record(await self.tables.get(match), request, plan)

    async def act(self, table: Table, move: Move, request: Request, wanted: rules_v1.Wanted = _NOBODY) -> Recorded:
        """Decides and records one action of the player's seat."""

        async def plan(table: Table) -> Draft:
            own = drafts.own_seat(table, move.player, move.seat)
            drafts.require_active(table)
            _check_expected(table, move)
            return await self._decided(table, own, move.action, wanted)

        return await self._recorder.record(table, request, plan)

    async def abort(self, match: bytes, reason: str) -> Recorded:
        """Ends a match without a result, for the platform."""

        async def plan(_: Table) -> Draft:
            return drafts.aborted(reason)

        return await self._recorder.record(await self.tables.get(match), Request(), plan)

    async def settle_due(self, match: bytes) -> None:
        """Does what is due: starts a match whose players did not say ready in time, ends one that is idle or empty."""
        table = await self.tables.fresh(match)
        if table.phase in (Phase.ENDED, Phase.ABORTED) or table.is_frozen:
            return
        await self._recorder.record(table, Request(), self._overdue)

    async def learn(self, table: Table, wanted: rules_v1.Wanted = _NOBODY) -> rules_v1.FoldEventsResponse:
        """State, status and what else is wanted of the table as it stands; the table keeps state and status."""
        version, request = table.version, rules_v1.FoldEventsRequest(basis=table.basis(), wanted=wanted)
        try:
            folded = await table.game.stub.FoldEvents(request, timeout=_DEADLINE_S)
        except grpc.aio.AioRpcError as error:
            raise deciding.unavailable(table.game, error) from None
        if table.version == version:
            table.learn(folded.state, folded.status)
        return folded

    async def _overdue(self, table: Table) -> Draft:
        now = int(time.time() * 1000)
        if table.phase is Phase.ACTIVE:
            return drafts.aborted("IDLE", outcome=entry_pb2.End.OUTCOME_ABANDONED)
        if now >= table.create_time_ms + table.options.expire_seconds * 1000:
            return drafts.aborted("EXPIRED")
        part = entry_pb2.EntryPart()
        part.cause.seat_readied.seat = -1
        held = [None if h is None else Held(h.player, h.bot_policy, h.contribution, is_ready=True) for h in table.held]
        return await self._with_start(table, Draft(part), held)

    async def _decided(self, table: Table, seat: int, action: bytes, wanted: rules_v1.Wanted) -> Draft:
        question = rules_v1.Question(
            basis=table.basis(),
            seat=seat,
            action=action,
            entropy=chain.decision_entropy(table.key, table.decisions),
            wanted=wanted_by_all(table, wanted),
        )
        answer = await self._decider.decide(table.game, question)
        if answer.WhichOneof("outcome") != "decision":
            raise deciding.refused(answer.refusal, **drafts.facts(table))
        draft = Draft(entry_pb2.EntryPart(seat=seat))
        draft.server.decision, draft.server.action = table.decisions, action
        drafts.add_decision(draft, answer.decision)
        return draft

    async def _with_start(self, table: Table, draft: Draft, held: list[Held | None]) -> Draft:
        """The draft, with the start in it when these seats let the match start."""
        before, table.held = table.held, held
        try:
            seats = drafts.starting_seats(table)
            if seats:
                await self._add_start(table, draft, seats)
        finally:
            table.held = before
        return draft

    async def _add_start(self, table: Table, draft: Draft, seats: int) -> None:
        given = (held.contribution if held else b"" for held in table.held[:seats])
        entropy = chain.start_entropy(chain.match_key(table.seed, given))
        await bots.mark(self.tables, table, table.held[:seats])
        wanted = wanted_by_all(table, _NOBODY)
        response = await self._start(table.game, table.created.settings, seats, entropy, wanted)
        draft.part.start.seats = seats
        drafts.add_decision(draft, response.decision)

    async def _record_first(self, table: Table, draft: Draft, request: Request) -> Recorded | None:
        async with table.lock:
            recorded = await self._recorder.append(table, draft, request)
        if recorded is not None:
            self.tables.put(table)
        return recorded

    async def _checked_settings(self, wish: Wish, options: entry_pb2.MatchOptions) -> bytes:
        """The settings in full. Every number of seats that the match may start with must be possible."""
        for seats in {options.min_seats, options.max_seats}:
            response = await self._start(wish.game, wish.settings, seats, b"", _NOBODY)
        return response.settings

    async def _start(
        self, game: Any, settings: bytes | None, seats: int, entropy: bytes, wanted: rules_v1.Wanted
    ) -> rules_v1.StartMatchResponse:
        about = game.description
        request = rules_v1.StartMatchRequest(
            game=about.id, rules_version=about.rules_version, seats=seats, entropy=entropy, wanted=wanted
        )
        if settings is not None:
            request.settings = settings
        try:
            response: rules_v1.StartMatchResponse = await game.stub.StartMatch(request, timeout=_DEADLINE_S)
        except grpc.aio.AioRpcError as error:
            raise deciding.unavailable(game, error) from None
        if response.WhichOneof("outcome") == "refusal":
            refusal = response.refusal
            raise Refused(
                Reason.ERROR_REASON_BAD_SETTINGS,
                f"{about.id} refuses these settings: {refusal.code or refusal.field}",
                game=f"games/{about.id}",
                rule=refusal.code,
                field=refusal.field,
            )
        return response


def _check_expected(table: Table, move: Move) -> None:
    head = {**drafts.facts(table), "digest": table.digest.hex()}
    if move.expected_version is not None and move.expected_version != table.version:
        text = f"the match is at version {table.version}, not {move.expected_version}"
        raise Refused(Reason.ERROR_REASON_STALE_VERSION, text, **head)
    if move.expected_version is not None and move.expected_digest and move.expected_digest != table.digest:
        text = f"the digest of version {table.version} is another here"
        raise Refused(Reason.ERROR_REASON_HISTORY_DIVERGED, text, **head)


def _open_seat(table: Table, wanted: int | None) -> int:
    if wanted is not None and not 0 <= wanted < len(table.held):
        raise invalid("seat", f"is from 0 to {len(table.held) - 1}")
    free = [i for i, held in enumerate(table.held) if held is None and wanted in (None, i)]
    if not free:
        text = "all seats are taken" if wanted is None else f"seat {wanted} is taken"
        raise Refused(Reason.ERROR_REASON_SEAT_TAKEN, text, **drafts.facts(table))
    return free[0]


def _check_one_seat_each(table: Table, player: bytes) -> None:
    seats = table.seats_of(player)
    if seats and table.options.several_seats_each == entry_pb2.MatchOptions.SEVERAL_SEATS_FORBIDDEN:
        text = f"you hold seat {seats[0]} already"
        raise Refused(Reason.ERROR_REASON_ALREADY_SEATED, text, seat=seats[0], **drafts.facts(table))


def _held_after(table: Table, taken: Taken) -> list[Held | None]:
    held = list(table.held)
    held[taken.seat] = held_of(table, taken)
    return held
