"""Tickets: the wish to be seated with people one does not know, and the way from it to a match."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from argosy.client import ids
from argosy.client.calls import Calls, authorized
from argosy.client.errors import ArgosyError, TokenExpired
from argosy.client.retry import Patience
from argosy.client.silence import heard
from argosy.client.transport import Link
from argosy.v1 import matchmaking_service_pb2 as pb
from argosy.v1 import matchmaking_service_pb2_grpc as pb_grpc
from argosy.v1.entry_pb2 import MatchOptions
from google.protobuf.any_pb2 import Any

Ticket = pb.Ticket
_ENDS = (pb.Ticket.STATE_CANCELLED, pb.Ticket.STATE_EXPIRED, pb.Ticket.STATE_CLOSED)


class NoMatch(ArgosyError):
    """No match came of a ticket: it was taken back, expired, or its match ended before the start."""

    def __init__(self, ticket: Ticket) -> None:
        self.ticket = ticket
        state = pb.Ticket.State.Name(ticket.state).removeprefix("STATE_")
        super().__init__(f"{ticket.name}: {state}", name=f"TICKET_{state}", metadata={"ticket": ticket.name})


class Tickets:
    """The tickets of one caller."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._stub = calls, pb_grpc.MatchmakingServiceStub(calls.links.first)
        self._patience = Patience(total=float("inf"))

    async def create(
        self,
        game: str,
        settings: Any | None = None,
        *,
        options: MatchOptions | None = None,
        seats: int | tuple[int, int] | None = None,
        bot_policy: str = "",
        bot_wait_seconds: int = 0,
        request_id: str = "",
    ) -> Ticket:
        """A new ticket. `seats` is a number or a range, bounds included; the game's default where it is None.

        Tickets with equal settings and options are matched in order of arrival. With a `bot_policy`, bots fill the
        seats still open after the wait.
        """
        wish = MatchOptions()
        if options is not None:
            wish.CopyFrom(options)
        if seats is not None:
            wish.min_seats, wish.max_seats = (seats, seats) if isinstance(seats, int) else seats
        ticket = pb.Ticket(
            game=ids.game_name(game),
            settings=settings,
            options=wish,
            bot_policy=bot_policy,
            bot_wait_seconds=bot_wait_seconds,
        )
        request = pb.CreateTicketRequest(ticket=ticket, request_id=request_id or ids.new_request_id())
        return (await self._calls.send(self._stub.CreateTicket, request)).ticket

    async def cancel(self, ticket: str, *, request_id: str = "") -> Ticket:
        """The ticket taken back: after this nobody is seated by it. Raises ArgosyError TICKET_MATCHED."""
        request = pb.CancelTicketRequest(name=ticket, request_id=request_id or ids.new_request_id())
        return (await self._calls.send(self._stub.CancelTicket, request)).ticket

    async def get(self, ticket: str) -> Ticket:
        """The ticket as it is now."""
        return (await self._calls.send(self._stub.GetTicket, pb.GetTicketRequest(name=ticket))).ticket

    async def watch(self, ticket: str) -> AsyncGenerator[Ticket, None]:
        """The ticket as it is now, then whenever it changes, until it stays as it is; again after a broken stream."""
        link = self._calls.links.lease()
        try:
            async for found in self._watched(ticket, link):
                yield found
        finally:
            link.watches -= 1

    async def matched(self, ticket: str) -> Ticket:
        """Waits for the match. Raises NoMatch when none came."""
        async with aclosing(self.watch(ticket)) as watched:
            async for found in watched:
                if found.state == pb.Ticket.STATE_MATCHED:
                    return found
                if found.state in _ENDS:
                    raise NoMatch(found)
        raise ArgosyError(f"{ticket}: the stream ended early")

    async def abandon(self, ticket: str) -> None:
        """Takes a ticket back that nobody waits for any more; one that was matched stays so."""
        try:
            await self.cancel(ticket)
        except ArgosyError as error:
            if error.name not in ("TICKET_MATCHED", "NOT_FOUND"):
                raise

    async def _watched(self, ticket: str, link: Link) -> AsyncIterator[Ticket]:
        stub = pb_grpc.MatchmakingServiceStub(link.channel)
        breaks, last = 0, pb.Ticket()
        while True:
            bearer = await self._calls.bearer()
            call = stub.WatchTicket(pb.WatchTicketRequest(name=ticket), metadata=authorized(bearer))
            try:
                async for response in heard(call):
                    breaks = 0
                    if response.ticket != last:
                        last = response.ticket
                        yield last
            except ArgosyError as error:
                renewed = isinstance(error, TokenExpired) and self._calls.credentials.expire(bearer)
                if not renewed and not error.is_passing:
                    raise
                breaks += 1
                await asyncio.sleep(self._patience.delay(breaks - 1, error.retry_after))
            else:
                return
