"""Tickets as players have them: made, taken back, read and followed."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from argosy.v1 import matchmaking_service_pb2 as pb

from services.kit.log import ids
from services.kit.log.asking import ask
from services.kit.log.news import Following
from services.kit.log.servers import Servers
from services.matchmaking import library
from services.matchmaking.places import Place, place_of, ticket_key

_FIELDS = ("p", "g", "q", "s", "w", "c", "x", "m", "e", "f", "d")


class State(Enum):
    """A ticket's state as stored. To its player a claimed ticket waits still."""

    WAITING = b"W"
    CLAIMED = b"L"
    MATCHED = b"M"
    CANCELLED = b"C"
    EXPIRED = b"X"
    CLOSED = b"Z"


_SHOWN = {
    State.WAITING: pb.Ticket.STATE_WAITING,
    State.CLAIMED: pb.Ticket.STATE_WAITING,
    State.MATCHED: pb.Ticket.STATE_MATCHED,
    State.CANCELLED: pb.Ticket.STATE_CANCELLED,
    State.EXPIRED: pb.Ticket.STATE_EXPIRED,
    State.CLOSED: pb.Ticket.STATE_CLOSED,
}
_WITH_MATCH = (State.MATCHED, State.CLOSED)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket as stored. `match` is b"" before it is claimed; `is_freed` once its match has started or ended."""

    id: str
    player: bytes
    game: str
    queue: str
    state: State
    wish: bytes
    create_ms: int
    expire_ms: int
    match: bytes
    seat: int
    is_freed: bool
    digest: bytes

    @property
    def is_final(self) -> bool:
        """Whether it stays as it is."""
        return self.is_freed or self.state in (State.CANCELLED, State.EXPIRED, State.CLOSED)

    def shown(self) -> pb.Ticket:
        """The ticket as its player sees it."""
        ticket = pb.Ticket.FromString(self.wish)
        ticket.name, ticket.player = f"tickets/{self.id}", f"players/{ids.to_text(self.player)}"
        ticket.state = _SHOWN[self.state]
        ticket.create_time.FromMilliseconds(self.create_ms)
        ticket.expire_time.FromMilliseconds(self.expire_ms)
        if self.state in _WITH_MATCH and self.match:
            ticket.match, ticket.seat = f"matches/{ids.to_text(self.match)}", self.seat
        return ticket


@dataclass(frozen=True, slots=True)
class NewTicket:
    """A ticket to be made. `queue` names those whose wishes agree; times are in ms."""

    id: str
    player: bytes
    game: str
    queue: str
    digest: bytes
    wish: bytes
    min_seats: int
    max_seats: int
    policy: str
    bot_wait_ms: int
    lifetime_ms: int


class Queues:
    """The tickets in the store. `kept_ms` is for how long one can still be read after its end."""

    def __init__(self, servers: Servers, following: Following, kept_ms: int) -> None:
        self.servers, self.kept_ms = servers, kept_ms
        self._following = following

    async def create(self, new: NewTicket) -> tuple[str, str]:
        """OK, REQUEST_ID_REUSED or EXISTS, and the ticket: the new one, or in whose way it is. Idempotent."""
        place = place_of(new.game)
        keys = (*self._keys(place, new.id, new.queue), place.arrivals, place.news)
        sizes = (new.lifetime_ms, self.kept_ms, new.min_seats, new.max_seats, new.policy, new.bot_wait_ms)
        about = (new.id, new.player, new.game, new.queue, new.digest, new.wish)
        code, ticket = await self.call(place, library.CREATE, keys, *about, *sizes, ids.to_text(new.player))
        return code.decode(), ticket.decode()

    async def cancel(self, ticket: Ticket) -> bool:
        """Takes the ticket back; false when a match is being made of it. True also for one that has ended."""
        place = place_of(ticket.game)
        keys = self._keys(place, ticket.id, ticket.queue)
        (code,) = await self.call(place, library.CANCEL, keys, ticket.id, self.kept_ms)
        return bool(code != b"MATCHED")

    async def forget(self, game: str, queue: str, player: bytes, ticket: str) -> None:
        """Frees a player whose ticket is gone."""
        place = place_of(game)
        await self.call(place, library.FORGET, (place.waiting(queue),), player, ticket)

    async def read(self, ticket: str) -> Ticket | None:
        """The ticket; None where there is none. Raises ValueError for what is no id."""
        partition, key = ticket_key(ticket)
        fields = await ask(self.servers, partition, "HMGET", key, *_FIELDS)
        return None if fields[0] is None else _ticket(ticket, fields)

    @contextlib.contextmanager
    def follow(self, ticket: str, on_news: Callable[[int | None], None]) -> Iterator[None]:
        """Calls `on_news` whenever the ticket may have changed, and once when no change can be missed any more."""
        with self._followed(ticket_key(ticket)[1], on_news):
            yield

    @contextlib.contextmanager
    def hear(self, place: Place, on_news: Callable[[int | None], None]) -> Iterator[None]:
        """Calls `on_news` whenever tickets of a game may have come."""
        with self._followed(place.news, on_news):
            yield

    async def call(self, place: Place, function: str, keys: tuple[str, ...], *arguments: Any) -> Any:
        """Calls one of our functions on the server of a game."""
        return await ask(self.servers, place.partition, "FCALL", function, len(keys), *keys, *arguments)

    def _keys(self, place: Place, ticket: str, queue: str) -> tuple[str, ...]:
        return (place.ticket(ticket), place.queue(queue), place.waiting(queue), place.queues, place.expiry)

    @contextlib.contextmanager
    def _followed(self, channel: str, on_news: Callable[[int | None], None]) -> Iterator[None]:
        name = channel.encode()
        self._following.start(name, on_news)
        try:
            yield
        finally:
            self._following.end(name, on_news)


def _ticket(ticket: str, fields: list[Any]) -> Ticket:
    player, game, queue, state, wish, created, expires, match, seat, freed, digest = fields
    return Ticket(
        id=ticket,
        player=player,
        game=game.decode(),
        queue=queue.decode(),
        state=State(state),
        wish=wish,
        create_ms=int(created),
        expire_ms=int(expires),
        match=match or b"",
        seat=int(seat or 0),
        is_freed=freed is not None,
        digest=digest,
    )
