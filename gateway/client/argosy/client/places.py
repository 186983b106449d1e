"""What a followed match needs of its client."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from argosy.client.calls import Calls
from argosy.client.carriers import Carriers
from argosy.client.games import Game
from argosy.client.stream import Follower, PlayStream
from argosy.client.updates import LegalAction
from argosy.client.watch import Watch
from argosy.v1 import match_service_pb2 as match_pb2


@dataclass(frozen=True, slots=True)
class Place:
    """A client, for one match that it follows; `by_stream` false takes WatchMatch and PlayAction."""

    calls: Calls
    game: Callable[[str, str], Awaitable[Game]]
    list_legal: Callable[[Game, match_pb2.ListActionsRequest], Awaitable[tuple[list[LegalAction], int]]]
    carriers: Carriers
    by_stream: bool

    async def seated(self, match: str, seat: int | None) -> tuple[Game, Sequence[int]]:
        """The match's game, and the seats whose parts will come: the one asked for, else all that the caller holds."""
        request = match_pb2.GetMatchRequest(name=match, seat=seat)
        found = (await self.calls.send(self.calls.matches.GetMatch, request)).match
        game = await self.game(found.game, found.rules_version)
        return game, [seat] if seat is not None else list(found.own_seats)

    async def legal(self, game: Game, match: str, seat: int) -> tuple[Sequence[LegalAction], int]:
        """The legal actions of the seat, and the version for which they are legal."""
        return await self.list_legal(game, match_pb2.ListActionsRequest(name=match, seat=seat, page_size=1000))

    def carry(self, follower: Follower) -> PlayStream | Watch:
        """A carrier with room for the match."""
        return self.carriers.carry(follower, by_stream=self.by_stream)

    def release(self, follower: Follower) -> None:
        """The match is followed no longer."""
        self.carriers.release(follower)
