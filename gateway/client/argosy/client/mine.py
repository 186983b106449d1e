"""All matches in which the caller holds a seat, now and later."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from argosy.client.carriers import Carriers
from argosy.client.errors import ArgosyError
from argosy.client.follow import Following
from argosy.client.games import Game
from argosy.client.stream import Follower, PlayStream
from argosy.client.updates import LegalAction, Update
from argosy.v1 import match_service_pb2 as match_pb2

ListLegal = Callable[[Game, match_pb2.ListActionsRequest], Awaitable[tuple[list[LegalAction], int]]]


@dataclass(frozen=True, slots=True)
class _Home:
    """What a match of the caller's own needs of its client. It is carried already: nobody has to ask for it."""

    stream: PlayStream
    game: Game
    seats: Sequence[int]
    list_legal: ListLegal

    async def seated(self, _match: str, _seat: int | None) -> tuple[Game, Sequence[int]]:
        """The match's game, and the seats as which it was announced."""
        return self.game, self.seats

    def carry(self, follower: Follower) -> PlayStream:
        """The stream that announced it."""
        self.stream.followers[follower.name] = follower
        return self.stream

    async def legal(self, game: Game, match: str, seat: int) -> tuple[Sequence[LegalAction], int]:
        """The legal actions of the seat, and the version for which they are legal."""
        return await self.list_legal(game, match_pb2.ListActionsRequest(name=match, seat=seat, page_size=1000))

    def release(self, follower: Follower) -> None:
        """The match is followed no longer."""
        self.stream.followers.pop(follower.name, None)


@dataclass(eq=False)
class _Early:
    """Keeps what comes of a match until its game is known."""

    seated: match_pb2.PlayResponse.Seated
    watch: match_pb2.WatchMatchRequest
    items: list[match_pb2.WatchMatchResponse | Sequence[int]] = field(default_factory=list)
    failure: ArgosyError | None = None

    def __post_init__(self) -> None:
        """Is known by its match's name."""
        self.name = self.seated.name

    def receive(self, response: match_pb2.WatchMatchResponse) -> Update | None:
        """Keeps an item."""
        self.items.append(response)
        return None

    def compare(self, _: match_pb2.PlayActionResponse) -> Update:
        """Nobody can have acted yet."""
        raise ArgosyError(f"{self.name}: an answer to nothing")

    def fail(self, error: ArgosyError) -> None:
        """Keeps the failure."""
        self.failure = error


class Mine:
    """Iterate over it: a Following for each match, those of now first, then each as it comes; it never ends by itself.

    Each is followed already; iterate over it in a task of its own. It is followed as all seats that the caller holds,
    also when these change; it ends with the match, when it is closed, and when the caller has left it. `tickets` says
    of which ticket a match was made, by the match's name. Broken connections are resumed without anybody noticing. At
    most 1,000 matches come at once; another comes when one of them is over.
    """

    def __init__(
        self,
        carriers: Carriers,
        tasks: asyncio.TaskGroup,
        game_of: Callable[[str], Awaitable[Game]],
        list_legal: ListLegal,
        asked: match_pb2.PlayRequest.FollowMine,
    ) -> None:
        self.asked = asked
        self.tickets: dict[str, str] = {}
        self._carriers, self._tasks, self._game_of, self._list_legal = carriers, tasks, game_of, list_legal
        self._tables: asyncio.Queue[Following | ArgosyError | None] = asyncio.Queue()
        self._stream: PlayStream | None = None
        self._is_complete = asyncio.Event()
        self._is_closed = False

    async def __aenter__(self) -> Self:
        self.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __aiter__(self) -> AsyncIterator[Following]:
        return self

    async def __anext__(self) -> Following:
        self.begin()
        table = await self._tables.get()
        if isinstance(table, Following):
            return table
        self._tables.put_nowait(table)  # whoever asks again gets the same
        if table is None:
            raise StopAsyncIteration
        raise table

    def begin(self) -> None:
        """Starts following; does nothing when it has begun."""
        if self._stream is None and not self._is_closed:
            self._stream = self._carriers.carry_own(self)

    def close(self) -> None:
        """Follows nothing any more; the tables end."""
        stream, self._stream = self._stream, None
        if not self._is_closed:
            self._is_closed = True
            self._tables.put_nowait(None)
        if stream is not None:
            self._carriers.drop(stream)
            for follower in tuple(stream.followers.values()):
                if isinstance(follower, Following):
                    follower.end()

    async def completed(self) -> None:
        """Waits until every match of now has been announced."""
        self.begin()
        await self._is_complete.wait()

    def seat(self, stream: PlayStream, seated: match_pb2.PlayResponse.Seated) -> None:
        """Takes news of the caller's seats in a match."""
        follower = stream.followers.get(seated.name)
        if seated.ticket:
            self.tickets[seated.name] = seated.ticket
        if isinstance(follower, _Early):
            follower.items.append(tuple(seated.seats))
        elif isinstance(follower, Following):
            _reseat(follower, seated.seats)
        elif seated.seats:
            start = match_pb2.Head() if self.asked.from_start else None
            watch = match_pb2.WatchMatchRequest(name=seated.name, after=start, wanted=self.asked.wanted)
            early = stream.followers[seated.name] = _Early(seated, watch)
            self._tasks.create_task(self._open(stream, early))

    def complete(self) -> None:
        """All matches of now were announced."""
        self._is_complete.set()

    def fail(self, error: ArgosyError) -> None:
        """Raised to the reader after what has come."""
        self._is_complete.set()
        self._is_closed = True
        self._tables.put_nowait(error)

    async def _open(self, stream: PlayStream, early: _Early) -> None:
        """Makes a table of what has come by the time that the game is known."""
        try:
            game = await self._game_of(early.seated.game)
        except ArgosyError as error:
            stream.followers.pop(early.name, None)
            self._tables.put_nowait(error)
            return
        seats = tuple(early.seated.seats)
        start = match_pb2.Head() if self.asked.from_start else None
        home = _Home(stream, game, seats, self._list_legal)
        seat = seats[0] if len(seats) == 1 else None
        table = Following(home, early.name, self.asked.wanted, seat=seat, start=start)
        await table.begin()
        for item in early.items:
            _give(table, item)
        if early.failure is not None:
            table.fail(early.failure)
        self._tables.put_nowait(table)


def _give(table: Following, item: match_pb2.WatchMatchResponse | Sequence[int]) -> None:
    if not isinstance(item, match_pb2.WatchMatchResponse):
        _reseat(table, item)
        return
    try:
        table.receive(item)
    except ArgosyError as error:
        table.fail(error)


def _reseat(table: Following, seats: Sequence[int]) -> None:
    if seats:
        table.reseat(seats)
    else:
        table.end()
