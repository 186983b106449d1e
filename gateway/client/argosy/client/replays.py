"""Matches found, and shown again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from argosy.client import ids
from argosy.client.calls import Calls, authorized
from argosy.client.errors import ArgosyError, TokenExpired
from argosy.client.games import Game
from argosy.client.silence import heard
from argosy.client.updates import Status
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1 import record_pb2
from argosy.v1 import replay_service_pb2 as pb
from argosy.v1 import replay_service_pb2_grpc as pb_grpc
from google.protobuf.message import Message

MatchSummary = pb.MatchSummary
GameRecord = record_pb2.GameRecord
_PAGE = 100


@dataclass(frozen=True, slots=True)
class ReplayPosition:
    """A match after one entry, as the viewer may see it. `position` is None before the start.

    `events` are those of the entry, `seat` is who caused it (None for the platform), `last_version` how far one can go,
    `game` the game's id.
    """

    version: int
    digest: bytes
    position: Message | None
    status: Status
    events: tuple[Message, ...]
    seat: int | None
    last_version: int
    game: str


class Replays:
    """The calls of ReplayService for one caller."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._stub = calls, pb_grpc.ReplayServiceStub(calls.links.first)

    async def matches(
        self, game: str, player: str, states: Iterable[match_pb2.Match.State.ValueType], idle_seconds: int
    ) -> AsyncIterator[MatchSummary]:
        """Matches, newest first, asked for page by page."""
        request = pb.ListMatchesRequest(player=player, states=states, idle_seconds=idle_seconds, page_size=_PAGE)
        request.game = ids.game_name(game) if game else ""
        while True:
            page = await self._calls.send(self._stub.ListMatches, request)
            for match in page.matches:
                yield match
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    async def ended(self, game: str, player: str) -> AsyncIterator[MatchSummary]:
        """Ended matches, last ended first, asked for page by page."""
        request = pb.ListReplaysRequest(player=player, page_size=_PAGE)
        request.game = ids.game_name(game) if game else ""
        while True:
            page = await self._calls.send(self._stub.ListReplays, request)
            for match in page.matches:
                yield match
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    async def record(self, player: str) -> list[GameRecord]:
        """What a player has achieved."""
        return [*(await self._calls.send(self._stub.GetRecord, record_pb2.GetRecordRequest(player=player))).games]

    async def read(
        self, match: str, seat: int | None, after_version: int, *, opened: bool, reason: str
    ) -> AsyncIterator[pb.ReadReplayResponse]:
        """Entries; after a broken stream it goes on behind the last one."""
        last, breaks, start = after_version, 0, asyncio.get_running_loop().time()
        while True:
            request = pb.ReadReplayRequest(
                name=ids.match_name(match), seat=seat, opened=opened, after_version=last, reason=reason
            )
            bearer = await self._calls.bearer()
            try:
                async for item in heard(self._stub.ReadReplay(request, metadata=authorized(bearer))):
                    last = (item.opened if item.HasField("opened") else item.entry).version
                    breaks, start = 0, asyncio.get_running_loop().time()
                    yield item
            except ArgosyError as error:
                await self._wait(error, bearer, breaks, start)
                breaks += 1
            else:
                return

    async def position(
        self, request: pb.GetReplayPositionRequest, game_of: Callable[[str], Awaitable[Game]]
    ) -> ReplayPosition:
        """The position after one entry."""
        told = await self._calls.send(self._stub.GetReplayPosition, request)
        game = await game_of(told.game)
        return ReplayPosition(
            version=told.head.version,
            digest=told.head.digest,
            position=game.unpack(told.position) if told.HasField("position") else None,
            status=Status(tuple(told.status.turn), tuple(told.status.may_act)),
            events=tuple(game.unpack(event) for event in told.events),
            seat=told.seat if told.HasField("seat") else None,
            last_version=told.last_version,
            game=game.id,
        )

    async def export(self, request: pb.ExportReplayRequest) -> bytes:
        """The whole file; asked for anew after a broken stream."""
        breaks = 0
        start = asyncio.get_running_loop().time()
        while True:
            bearer = await self._calls.bearer()
            try:
                call = self._stub.ExportReplay(request, metadata=authorized(bearer))
                return b"".join([item.piece async for item in heard(call)])
            except ArgosyError as error:
                await self._wait(error, bearer, breaks, start)
                breaks += 1

    async def _wait(self, error: ArgosyError, bearer: str, breaks: int, start: float) -> None:
        """Waits before the next attempt after a passing failure; raises any other, and when the patience is over."""
        if isinstance(error, TokenExpired) and self._calls.credentials.expire(bearer):
            return
        patience = self._calls.patience
        delay = patience.delay(breaks, error.retry_after)
        if not error.is_passing or asyncio.get_running_loop().time() + delay > start + patience.total:
            raise error
        await asyncio.sleep(delay)
