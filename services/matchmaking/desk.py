"""What the calls of MatchmakingService do to tickets."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from argosy.v1 import matchmaking_service_pb2 as pb

from services.kit.errors import Reason, Refused, not_found
from services.match.matches import Matches
from services.matchmaking import requests
from services.matchmaking.effects import Effects, Heard
from services.matchmaking.making import Maker
from services.matchmaking.places import place_of
from services.matchmaking.queues import NewTicket, Queues, State, Ticket

_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Desk:
    """The calls' common ground. `lifetime_s` is how long a ticket waits, `start_s` how long its match may."""

    matches: Matches
    queues: Queues
    effects: Effects
    maker: Maker
    lifetime_s: float
    start_s: int

    async def create(self, request: pb.CreateTicketRequest, player: bytes) -> Ticket:
        """The ticket of this request. Refuses TICKET_EXISTS, REQUEST_ID_REUSED, STORAGE_LOW, what cannot be played."""
        mine = await self.queues.read(requests.own_id(request, player))
        if mine is not None:
            if mine.digest != requests.digest(request.ticket):
                raise _reused()
            return mine
        await self.matches.tables.log.capacity.check()
        new = await requests.new_ticket(request, player, self.matches, self.lifetime_s, self.start_s)
        for _ in range(_ATTEMPTS):
            code, found = await self.queues.create(new)
            if code == "REQUEST_ID_REUSED":
                raise _reused()
            if code == "OK" and (made := await self.queues.read(found)):
                return made
            if code == "EXISTS" and not await self._is_over(new, found):
                raise requests.exists(found)
        raise Refused(Reason.ERROR_REASON_CONTENDED, "you queue elsewhere at the same time; retry", retry_s=0.1)

    async def cancel(self, name: str, player: bytes) -> Ticket:
        """The ticket, taken back or ended before. Refuses TICKET_MATCHED."""
        ticket = await self.read(name, player)
        if not await self.queues.cancel(ticket):
            text = "a match was made of this ticket: leave that"
            raise Refused(Reason.ERROR_REASON_TICKET_MATCHED, text, ticket=name)
        return await self.read(name, player)

    async def read(self, name: str, player: bytes) -> Ticket:
        """The player's ticket of this name. Refuses NOT_FOUND, also for another's."""
        ticket = await self.queues.read(requests.ticket_text(name))
        if ticket is None or ticket.player != player:
            raise not_found(name)
        return ticket

    def follow(self, ticket: Ticket, on_news: Callable[[int | None], None]) -> AbstractContextManager[None]:
        """Calls `on_news` whenever the ticket may have changed."""
        return self.queues.follow(ticket.id, on_news)

    async def _is_over(self, new: NewTicket, other: str) -> bool:
        """Whether the ticket in the way does not hold its player any more, though nobody has heard of it yet."""
        ticket = await self.queues.read(other)
        if ticket is None or ticket.is_final:
            await self.queues.forget(new.game, new.queue, new.player, other)
            return True
        if ticket.state is not State.MATCHED or (turn := await self.maker.phase(ticket.match)) is None:
            return False
        made = await self.effects.made(place_of(new.game), [ticket.match])
        await self.effects.store(new.game, Heard(ticket.match, turn, intent=made.get(ticket.match)))
        return True


def _reused() -> Refused:
    return Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, "this request id was used for another ticket")
