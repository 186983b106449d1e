"""The ways by which guests play: one Play stream each, or PlayAction calls beside WatchMatch streams."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from argosy.v1 import match_service_pb2 as pb

from tests.bench.driving import Game
from tests.bench.guests import Guest

if TYPE_CHECKING:
    import grpc

    PlayCall = grpc.aio.StreamStreamCall[Any, Any]
START = pb.Head(version=0)


class Stream:
    """A guest's Play stream: follows matches in a seat, carries actions up."""

    def __init__(self, guest: Guest, seat: int) -> None:
        self._seat, self._games = seat, dict[str, Game]()
        self._call: PlayCall = guest.matches.Play(metadata=guest.metadata)

    async def follow(self, games: Sequence[Game], wanted: pb.Wanted) -> None:
        """Follows from the beginning of each history."""
        for game in games:
            self._games[game.name] = game
            watch = pb.WatchMatchRequest(name=game.name, seat=self._seat, after=START, wanted=wanted)
            await self._call.write(pb.PlayRequest(follow=pb.PlayRequest.Follow(watch=watch)))

    async def send(self, action: pb.PlayActionRequest) -> None:
        """Sends an action."""
        await self._call.write(pb.PlayRequest(action=action))

    async def run(self) -> None:
        """Reads until cancelled."""
        try:
            while True:
                item = await self._call.read()
                assert isinstance(item, pb.PlayResponse), await self._call.code()
                if item.HasField("followed"):
                    await self._hear(item.followed)
                elif item.HasField("accepted"):  # so are those answered that ask for a receipt
                    assert item.accepted.response.HasField("receipt")
                    self._games[item.accepted.name].answered()
                elif item.HasField("failed"):
                    raise AssertionError(f"{item.failed.name}: {item.failed.status.message}")
        finally:
            self._call.cancel()

    async def _hear(self, followed: pb.PlayResponse.Followed) -> None:
        game = self._games[followed.name]
        if followed.request_id:
            game.answered()
        if followed.watch.HasField("update"):
            await self.take(game, followed.watch.update)

    async def take(self, game: Game, update: pb.EntryUpdate) -> None:
        """Hands on the news of a match."""
        await game.hear(self._seat, update)


class Calls:
    """A guest's WatchMatch streams and PlayAction calls."""

    def __init__(self, guest: Guest, seat: int) -> None:
        self._guest, self._seat, self._games = guest, seat, dict[str, Game]()
        self._wanted = pb.Wanted()

    async def follow(self, games: Sequence[Game], wanted: pb.Wanted) -> None:
        """Notes what `run` shall watch."""
        self._games |= {game.name: game for game in games}
        self._wanted = wanted

    async def send(self, action: pb.PlayActionRequest) -> None:
        """Performs an action."""
        await self._guest.matches.PlayAction(action, metadata=self._guest.metadata)
        self._games[action.name].answered()

    async def run(self) -> None:
        """Watches until cancelled."""
        async with asyncio.TaskGroup() as group:
            for game in self._games.values():
                group.create_task(self._watch(game))

    async def _watch(self, game: Game) -> None:
        request = pb.WatchMatchRequest(name=game.name, seat=self._seat, after=START, wanted=self._wanted)
        watching = self._guest.matches.WatchMatch(request, metadata=self._guest.metadata)
        try:
            async for item in watching:
                if item.HasField("update"):
                    await game.hear(self._seat, item.update)
        finally:
            watching.cancel()
