"""MatchService: create, join, start, look at, play and watch matches."""
# ruff: noqa: ARG002, N802 - gRPC names the methods and gives each a context

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, cast

import grpc
from argosy.v1 import entry_pb2, match_service_pb2_grpc
from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import current_caller
from gateway.gate import Allowance
from gateway.matches import listing
from gateway.matches.acting import answer, record_action
from gateway.matches.desk import Desk
from gateway.matches.following import Follower
from gateway.matches.invitations import Inviting
from gateway.matches.play import Play
from gateway.matches.requests import (
    closing_of,
    mutation,
    seat_of,
    settings_of,
    taken_by,
)
from gateway.matches.sinks import Sink
from gateway.matches.streams import Streams
from services.kit import parts
from services.kit.log import ids
from services.kit.names import game_id, match_id
from services.match import drafts
from services.match.creation import Wish
from services.match.seating import Taken
from services.match.viewers import Viewer, viewer_of

Context = grpc.aio.ServicerContext[Any, Any]


class MatchService(match_service_pb2_grpc.MatchServiceServicer):
    """The public service, on top of the one writer of histories.

    What tells of entries is answered as bytes: put together once for all viewers alike, and never parsed again.
    """

    def __init__(self, desk: Desk, streams: Streams, allowance: Allowance) -> None:
        self._desk, self._streams, self._allowance = desk, streams, allowance
        self._inviting = Inviting(desk, allowance.guesses)

    async def CreateMatch(self, request: match_pb.CreateMatchRequest, _: Context) -> match_pb.CreateMatchResponse:
        """Creates a match, or finds the one that this request created."""
        caller, desk = current_caller(), self._desk
        game = desk.matches.tables.directory.game(game_id(request.game))
        taken = [taken_by(seat, caller) for seat in request.seats]
        await desk.check_owned(caller, [seat.player for seat in taken if not seat.bot_policy])
        settings = settings_of(game, request.settings if request.HasField("settings") else None)
        asked = request.options.SerializeToString(deterministic=True) + b"".join(
            seat.SerializeToString(deterministic=True) for seat in request.seats
        )
        match = ids.match_id(caller.player, request.request_id.encode())
        asked_game = game.id.encode()
        mutated = mutation("create", caller, request.request_id, match, asked_game, settings or b"", asked)
        wish = Wish(game, caller.player, settings, request.options, taken, desk.build)
        with desk.notary.refusals(request, match, caller, mutated):
            recorded = await desk.matches.create(wish, mutated, request.request_id.encode())
        shown = await desk.show(recorded.table, caller)
        return match_pb.CreateMatchResponse(match=shown, receipt=desk.notary.receipt(request, recorded))

    async def JoinMatch(self, request: match_pb.JoinMatchRequest, _: Context) -> match_pb.JoinMatchResponse:
        """Takes a seat."""
        caller, match = current_caller(), match_id(request.name)
        mutated = mutation("join", caller, request.request_id, match, request.contribution)
        taken = Taken(
            seat=request.seat,
            player=ids.ZERO if request.bot_policy else caller.player,
            bot_policy=request.bot_policy,
            contribution=request.contribution,
        )
        with self._desk.notary.refusals(request, match, caller, mutated):
            recorded = await self._desk.matches.join(
                match, taken, mutated, asked_by=caller.player, any_seat=not request.HasField("seat")
            )
        shown, seat = await self._desk.show(recorded.table, caller), parts.server_part(recorded.entry).seat
        return match_pb.JoinMatchResponse(match=shown, seat=seat, receipt=self._desk.notary.receipt(request, recorded))

    async def ReadyMatch(self, request: match_pb.ReadyMatchRequest, _: Context) -> match_pb.ReadyMatchResponse:
        """Makes a seat ready."""
        caller, match = current_caller(), match_id(request.name)
        mutated = mutation("ready", caller, request.request_id, match, request.contribution)
        with self._desk.notary.refusals(request, match, caller, mutated):
            recorded = await self._desk.matches.ready(
                match, caller.player, _seat(request), request.contribution, mutated
            )
        shown = await self._desk.show(recorded.table, caller)
        return match_pb.ReadyMatchResponse(match=shown, receipt=self._desk.notary.receipt(request, recorded))

    async def LeaveMatch(self, request: match_pb.LeaveMatchRequest, _: Context) -> match_pb.LeaveMatchResponse:
        """Gives a seat up before the start."""
        caller, match = current_caller(), match_id(request.name)
        mutated = mutation("leave", caller, request.request_id, match)
        with self._desk.notary.refusals(request, match, caller, mutated):
            recorded = await self._desk.matches.leave(match, caller.player, _seat(request), mutated)
        shown = await self._desk.show(recorded.table, caller)
        return match_pb.LeaveMatchResponse(match=shown, receipt=self._desk.notary.receipt(request, recorded))

    async def ResignMatch(self, request: match_pb.ResignMatchRequest, _: Context) -> match_pb.ResignMatchResponse:
        """Gives the match up for a seat."""
        caller, match = current_caller(), match_id(request.name)
        mutated = mutation("resign", caller, request.request_id, match)
        with self._desk.notary.refusals(request, match, caller, mutated):
            recorded = await self._desk.matches.resign(match, caller.player, _seat(request), mutated)
        shown = await self._desk.show(recorded.table, caller)
        return match_pb.ResignMatchResponse(match=shown, receipt=self._desk.notary.receipt(request, recorded))

    async def AbortMatch(self, request: match_pb.AbortMatchRequest, _: Context) -> match_pb.AbortMatchResponse:
        """Ends a match without a result, for a host."""
        caller, match, desk = current_caller(), match_id(request.name), self._desk
        outcome = closing_of(request)
        named = entry_pb2.End.Outcome.Name(outcome).removeprefix("OUTCOME_")
        mutated = mutation("abort", caller, request.request_id, match, named.encode(), request.reason.encode())
        with desk.notary.refusals(request, match, caller, mutated):
            recorded = await desk.matches.close(match, outcome, request.reason, mutated)
        shown = await desk.shown_to(recorded.table, Viewer(), caller, match_pb.Wanted())
        return match_pb.AbortMatchResponse(match=shown, receipt=desk.notary.receipt(request, recorded))

    async def CreateInvitation(
        self, request: match_pb.CreateInvitationRequest, _: Context
    ) -> match_pb.CreateInvitationResponse:
        """Gets or makes the code of a match."""
        invitation = await self._inviting.create(request, current_caller())
        return match_pb.CreateInvitationResponse(invitation=invitation)

    async def ResolveInvitation(
        self, request: match_pb.ResolveInvitationRequest, _: Context
    ) -> match_pb.ResolveInvitationResponse:
        """Finds a match by its code."""
        caller = current_caller()
        table = await self._inviting.resolve(request.code, caller)
        return match_pb.ResolveInvitationResponse(match=await self._desk.show(table, caller))

    async def GetMatch(self, request: match_pb.GetMatchRequest, _: Context) -> match_pb.GetMatchResponse:
        """Gets a match as the caller may see it."""
        caller, table = current_caller(), await self._desk.fresh(request.name)
        viewer = viewer_of(table, caller.player, _seat(request))
        shown = await self._desk.shown_to(table, viewer, caller, match_pb.Wanted())
        await self._desk.accesses.read("GetMatch", caller, table, viewer)
        return match_pb.GetMatchResponse(match=shown)

    async def ListActions(self, request: match_pb.ListActionsRequest, _: Context) -> match_pb.ListActionsResponse:
        """Lists the legal actions of the caller's seat."""
        caller, table = current_caller(), await self._desk.fresh(request.name)
        seat = drafts.own_seat(table, caller.player, _seat(request))
        drafts.require_active(table)
        await self._desk.accesses.read("ListActions", caller, table, Viewer((seat,), seat))
        return await listing.list_actions(table, seat, request)

    async def PlayAction(self, request: match_pb.PlayActionRequest, _: Context) -> match_pb.PlayActionResponse:
        """Performs one action for the caller's seat."""
        recorded, seat = await record_action(self._desk, request, current_caller())
        return cast("match_pb.PlayActionResponse", await answer(self._desk, recorded, seat, request))

    async def WatchMatch(
        self, request: match_pb.WatchMatchRequest, context: Context
    ) -> AsyncIterator[match_pb.WatchMatchResponse]:
        """Streams a match."""
        caller, desk, connection = current_caller(), self._desk, context.peer()
        table = await desk.fresh(request.name)
        viewer = viewer_of(table, caller.player, seat_of(request))
        desk.enter_watch(connection)
        sink = Sink[bytes]()
        follower = Follower(desk.matches, table, viewer, request.wanted, sink=sink, emit=lambda item, _: sink.put(item))
        after = request.after if request.HasField("after") else None
        try:
            async with desk.accesses.watching("WatchMatch", caller, table, viewer) as see:
                shown = partial(desk.shown_to, table, viewer, caller, request.wanted)
                run = follower.run(after, shown, see)
                async with self._streams.serving(sink, caller, run):
                    async for item in sink:
                        yield cast("match_pb.WatchMatchResponse", item)
        finally:
            desk.leave_watch(connection)

    async def Play(
        self, requests: AsyncIterator[match_pb.PlayRequest], context: Context
    ) -> AsyncIterator[match_pb.PlayResponse]:
        """Follows several matches and carries actions up."""
        caller, sink = current_caller(), Sink[bytes]()
        play = Play(self._desk, self._allowance, caller, sink)
        async with self._streams.serving(sink, caller, play.run(requests)):
            async for item in sink:
                yield cast("match_pb.PlayResponse", item)


def _seat(request: Any) -> int | None:
    return request.seat if request.HasField("seat") else None
