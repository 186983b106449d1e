"""The worker: hears which seats there are, and plays each from where its match stands."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import grpc
import structlog
from argosy.client import ArgosyError, Client, LegalAction, Patience, Update
from argosy.v1 import bot_service_pb2 as pb
from argosy.v1 import bot_service_pb2_grpc as bot_grpc

from services.rules.bots.choosing import Choose, choose_uniformly
from services.rules.bots.playing import Bot

BEARER_PREFIX: Final = "bots_"
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_FOR_EVER: Final = Patience(total=float("inf"))
_GONE: Final = ("MATCH_ENDED", "NOT_FOUND", "NOT_SEATED")
_log = structlog.get_logger()


class Worker:
    """Plays all bots' seats of one platform. `find` gives the policy by game and name, or raises ValueError."""

    def __init__(self, gateway: str, secret: str, find: Callable[[str, str], Choose], *, pace_s: float = 0.0) -> None:
        self._gateway, self._bearer = gateway, f"{BEARER_PREFIX}{secret}"
        self._find, self._pace_s = find, pace_s
        self._playing: dict[tuple[str, int], asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Plays until cancelled. A gateway that is away is asked again; wrong credentials end it."""
        async with (
            Client.connect(self._gateway, key=self._bearer, patience=_FOR_EVER) as client,
            asyncio.TaskGroup() as group,
        ):
            pause = _FIRST_PAUSE_S
            while True:
                heard = await self._listen(client, group)
                pause = _FIRST_PAUSE_S if heard else min(pause * 2, _LONGEST_PAUSE_S)
                await asyncio.sleep(pause)

    async def _listen(self, client: Client, group: asyncio.TaskGroup) -> bool:
        """Hears of seats until the stream ends; whether anything was heard."""
        has_heard = False
        async with grpc.aio.insecure_channel(self._gateway) as channel:
            stub = bot_grpc.BotServiceStub(channel)
            metadata = (("authorization", f"Bearer {self._bearer}"),)
            try:
                async for response in stub.WatchBotSeats(pb.WatchBotSeatsRequest(), metadata=metadata):
                    has_heard = True
                    for seat in response.seats:
                        self._take(client, group, seat)
            except grpc.aio.AioRpcError as error:
                _log.info("bots_stream_ended", code=error.code().name)
                if error.code() in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
                    raise
        return has_heard

    def _take(self, client: Client, group: asyncio.TaskGroup, seat: pb.BotSeat) -> None:
        key = seat.match, seat.seat
        if key not in self._playing:
            task = self._playing[key] = group.create_task(self._play(client, seat))
            task.add_done_callback(lambda _: self._playing.pop(key, None))

    async def _play(self, client: Client, seat: pb.BotSeat) -> None:
        """Plays the seat to the end of its match; again after a failure that is not the match's end."""
        choose, pause = self._chooser(seat), _FIRST_PAUSE_S
        while True:
            bot = Bot(client, seat.match, seat.seat, choose, lambda _: None, from_start=False, pace_s=self._pace_s)
            try:
                await bot.play()
            except ArgosyError as error:
                _log.info("bot_stopped", match=seat.match, seat=seat.seat, code=error.name)
                if error.name in _GONE:
                    return
            else:
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S * 12)

    def _chooser(self, seat: pb.BotSeat) -> Choose:
        """The seat's policy; chance for one that is not known here, since somebody waits for its move."""
        try:
            return _steady(self._find(seat.game.removeprefix("games/"), seat.bot_policy), seat)
        except ValueError:
            _log.warning("bot_policy_unknown", match=seat.match, game=seat.game, policy=seat.bot_policy)
            return choose_uniformly


def _steady(choose: Choose, seat: pb.BotSeat) -> Choose:
    """The policy, and chance where it fails: a defect met in one match must not stop the others."""

    def choose_steadily(update: Update, number: int, legal: Sequence[LegalAction]) -> LegalAction:
        try:
            return choose(update, number, legal)
        except Exception as error:  # noqa: BLE001  # said in the log; somebody waits for the move
            _log.error("bot_failed_to_choose", match=seat.match, version=update.version, type=type(error).__qualname__)
            return choose_uniformly(update, number, legal)

    return choose_steadily
