"""BotService: tells the processes that play hosted bots which seats there are to play."""
# ruff: noqa: ARG002, N802 - gRPC names the methods and gives each a context

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import structlog
from argosy.v1 import bot_service_pb2 as pb
from argosy.v1 import bot_service_pb2_grpc as bot_grpc

from gateway.authorization import current_caller
from gateway.matches.sinks import Sink
from gateway.matches.streams import Streams
from services.kit.errors import Refused
from services.kit.log import ids
from services.kit.log.entries import StorageLow, Unavailable
from services.match.matches import Matches
from services.match.table import ENDED, Phase, Table

Context = grpc.aio.ServicerContext[Any, Any]
_EVERY_S = 0.2
_SLACK_MS = 30_000
"""The clocks of gateways differ, and a mark comes before its match: so far back is asked again each time."""
_BATCH = 500
_log = structlog.get_logger()


class BotService(bot_grpc.BotServiceServicer):
    """Serves BotService from the log's index of matches with bots."""

    def __init__(self, matches: Matches, streams: Streams) -> None:
        self._matches, self._streams = matches, streams

    async def WatchBotSeats(
        self, request: pb.WatchBotSeatsRequest, context: Context
    ) -> AsyncIterator[pb.WatchBotSeatsResponse]:
        """Streams seats to be played."""
        sink = Sink[pb.WatchBotSeatsResponse]()
        async with self._streams.serving(sink, current_caller(), _Search(self._matches, sink).run()):
            async for item in sink:
                yield item


class _Search:
    """Looks for matches that have begun since it last looked."""

    def __init__(self, matches: Matches, sink: Sink[pb.WatchBotSeatsResponse]) -> None:
        self._matches, self._sink = matches, sink
        self._since, self._told = 0, dict[bytes, int]()  # when each match told lately was marked
        self._has_missed = False

    async def run(self) -> None:
        """Tells of seats until cancelled. A store that is away is asked again."""
        while True:
            try:
                await self._look()
            except (Unavailable, StorageLow):
                _log.warning("bots_not_read")
            await asyncio.sleep(_EVERY_S)

    async def _look(self) -> None:
        begun, self._has_missed = int(time.time() * 1000), False
        marked = [pair for pair in await self._matches.tables.log.marked_bots(self._since) if pair[0] not in self._told]
        seats: list[pb.BotSeat] = []
        for match, marked_ms in marked:
            seats += await self._seats(match, marked_ms)
            if len(seats) >= _BATCH:
                await self._tell(seats)
                seats = []
        await self._tell(seats)
        if not self._has_missed:
            self._since = begun - _SLACK_MS
        self._told = {match: ms for match, ms in self._told.items() if ms >= self._since}

    async def _seats(self, match: bytes, marked_ms: int) -> list[pb.BotSeat]:
        try:
            table = await self._matches.tables.fresh(match)
        except Refused as refused:
            if refused.name == "NOT_FOUND":
                await self._drop(match, marked_ms)
            else:
                self._has_missed |= refused.name != "MATCH_FROZEN"
                _log.warning("bots_match_not_read", match=ids.to_text(match), code=refused.name)
            return []
        if table.phase in ENDED:
            await self._drop(match, marked_ms)
        if table.phase is not Phase.ACTIVE:
            return []
        self._told[match] = marked_ms
        return _seats_of(table)

    async def _drop(self, match: bytes, marked_ms: int) -> None:
        """Unmarks what is over, or never came to be; a mark that is young may be that of a match about to begin."""
        if marked_ms < time.time() * 1000 - _SLACK_MS:
            await self._matches.tables.log.unmark_bots(match)

    async def _tell(self, seats: list[pb.BotSeat]) -> None:
        if seats:
            await self._sink.room()
            self._sink.put(pb.WatchBotSeatsResponse(seats=seats))


def _seats_of(table: Table) -> list[pb.BotSeat]:
    return [
        pb.BotSeat(match=f"matches/{table.text}", seat=seat, game=f"games/{table.created.game}", bot_policy=policy)
        for seat, held in enumerate(table.held[: table.seats])
        if held is not None and (policy := held.bot_policy)
    ]
