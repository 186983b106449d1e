"""MatchmakingService, behind a gateway: it says who calls by `argosy-player-bin` (gateway/forward.py)."""
# ruff: noqa: N802 - gRPC names the methods

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from argosy.v1 import matchmaking_service_pb2 as pb
from argosy.v1 import matchmaking_service_pb2_grpc as pb_grpc

from services.kit.errors import Reason, Refused
from services.kit.fields import check_request_id
from services.kit.log import ids
from services.kit.log.entries import StorageLow, Unavailable
from services.matchmaking.desk import Desk
from services.matchmaking.queues import Ticket

Context = grpc.aio.ServicerContext[Any, Any]


class MatchmakingService(pb_grpc.MatchmakingServiceServicer):
    """The calls. A watched ticket is sent again after `resend_s` seconds of silence; `draining` ends the streams."""

    def __init__(self, desk: Desk, resend_s: float, draining: asyncio.Event) -> None:
        self._desk, self._resend_s, self._draining = desk, resend_s, draining

    async def CreateTicket(self, request: pb.CreateTicketRequest, context: Context) -> pb.CreateTicketResponse:
        """The ticket, new or made by this request before."""
        player = _player(context)
        with _StoreAway():
            return pb.CreateTicketResponse(ticket=(await self._desk.create(request, player)).shown())

    async def CancelTicket(self, request: pb.CancelTicketRequest, context: Context) -> pb.CancelTicketResponse:
        """The ticket, which seats nobody any more."""
        check_request_id(request.request_id)
        with _StoreAway():
            return pb.CancelTicketResponse(ticket=(await self._desk.cancel(request.name, _player(context))).shown())

    async def GetTicket(self, request: pb.GetTicketRequest, context: Context) -> pb.GetTicketResponse:
        """The ticket as it is now."""
        with _StoreAway():
            return pb.GetTicketResponse(ticket=(await self._desk.read(request.name, _player(context))).shown())

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        """The ticket now, and whenever it changes, until it stays as it is."""
        player, news = _player(context), asyncio.Event()
        with _StoreAway():
            ticket = await self._desk.read(request.name, player)
            with self._desk.follow(ticket, lambda _: news.set()):
                yield pb.WatchTicketResponse(ticket=ticket.shown())
                while not ticket.is_final:
                    ticket, is_due = await self._next(ticket, news)
                    if is_due:
                        yield pb.WatchTicketResponse(ticket=ticket.shown())

    async def _next(self, ticket: Ticket, news: asyncio.Event) -> tuple[Ticket, bool]:
        """The ticket after news or a silence, and whether it is to be sent. Refuses DRAINING."""
        is_silent = not await self._wait(news)
        news.clear()
        now = await self._desk.read(f"tickets/{ticket.id}", ticket.player)
        return now, is_silent or now.shown() != ticket.shown()

    async def _wait(self, news: asyncio.Event) -> bool:
        ends = asyncio.ensure_future(news.wait()), asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait(ends, timeout=self._resend_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        if self._draining.is_set():
            raise Refused(Reason.ERROR_REASON_DRAINING, "matchmaking is going away here; watch again")
        return news.is_set()


class _StoreAway:
    """Turns a store that cannot be reached into a refusal."""

    def __enter__(self) -> None:
        """Begins."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raises what the client is told."""
        if isinstance(error, Unavailable):
            text = "the store of tickets cannot be reached"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None
        if isinstance(error, StorageLow):
            raise Refused(Reason.ERROR_REASON_STORAGE_LOW, "the store has no room", retry_s=5.0) from None


def _player(context: Context) -> bytes:
    """Who calls, as the gateway says."""
    for key, value in context.invocation_metadata() or ():
        if key == "argosy-player-bin" and isinstance(value, bytes) and len(value) == ids.SIZE:
            return value
    raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "only a gateway may call this")
