"""What one Play stream follows: matches asked for one by one, and all of the caller's own."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import Caller
from gateway.matches.desk import Desk
from gateway.matches.following import Follower
from gateway.matches.mine import Mine, Seated
from gateway.matches.requests import seat_of
from gateway.matches.sinks import Sink
from services.kit.errors import Reason, Refused, internal
from services.kit.names import game_id, is_match
from services.match.viewers import viewer_of

MOST_FOLLOWED = 1000
_MOST_DECLINED = 10_000
Item = match_pb.PlayResponse
Emit = Callable[[str, bytes, str], None]
"""Takes the match's name, something of it as a serialized WatchMatchResponse, and the request id that it answers."""


@dataclass(slots=True, eq=False)
class _Place:
    """A followed match; `follower` is there once its table is."""

    watch: match_pb.WatchMatchRequest
    task: asyncio.Task[None] | None = None
    follower: Follower | None = None


class Followed:
    """The followed matches of one stream; `group` runs them. `fail` is told what cannot be followed, and why."""

    def __init__(
        self,
        group: asyncio.TaskGroup,
        desk: Desk,
        caller: Caller,
        *,
        sink: Sink[bytes],
        emit: Emit,
        fail: Callable[[str, Refused], None],
    ) -> None:
        self._group, self._desk, self._caller = group, desk, caller
        self._sink: Sink[Any] = sink
        self._emit, self._fail = emit, fail
        self._places: dict[str, _Place] = {}
        self._mine: asyncio.Task[None] | None = None
        self._declined = dict[str, None]()  # matches that the client has unfollowed, the oldest first
        self._crowded = set[str]()  # own matches for which there was no room, and the client knows it

    def follow(self, watch: match_pb.WatchMatchRequest) -> None:
        """Follows a match; replaces what was asked about it before."""
        self._declined.pop(watch.name, None)
        self._end(watch.name)
        if len(self._places) >= MOST_FOLLOWED:
            self._fail(watch.name, _crowded())
        else:
            self._begin(watch)

    def unfollow(self, name: str) -> None:
        """Follows a match no longer."""
        self._end(name)
        if is_match(name):
            self._declined[name] = None
        if len(self._declined) > _MOST_DECLINED:
            del self._declined[next(iter(self._declined))]

    def follow_mine(self, asked: match_pb.PlayRequest.FollowMine) -> None:
        """Follows all matches of the caller's."""
        try:
            games = frozenset(map(game_id, asked.games))
        except Refused as refused:
            self._fail("", refused)
            return
        if self._mine is not None:
            self._mine.cancel()
        matches, player = self._desk.matches, self._caller.player
        mine = Mine(matches, player, games, lambda found: self._take(asked, found), self._tell_complete)
        self._mine = self._group.create_task(mine.run())

    def _take(self, asked: match_pb.PlayRequest.FollowMine, found: Seated) -> bool:
        """Announces an own match and follows it, unless that is done already; false where there is no room."""
        name = f"matches/{found.table.text}"
        if name in self._declined:
            return True
        place = self._places.get(name)
        if place is None and found.seats and len(self._places) >= MOST_FOLLOWED:
            self._tell_crowded(name)
            return False
        self._crowded.discard(name)
        self._announce(name, found)
        if not found.seats:
            self._end(name)
        elif place is None:
            self._begin(_watch(name, asked, 0 if asked.from_start else None))
        elif _is_of_other_seats(place, found):
            sent = place.follower.sent if place.follower is not None else 0
            self._end(name)
            self._begin(_watch(name, asked, sent or (0 if place.watch.HasField("after") else None)))
        return True

    def _announce(self, name: str, found: Seated) -> None:
        seated = Item.Seated(name=name, game=f"games/{found.table.created.game}", seats=found.seats)
        seated.ticket = f"tickets/{found.ticket}" if found.ticket else ""
        self._sink.put(Item(seated=seated).SerializeToString())

    def _tell_complete(self) -> None:
        if not self._sink.is_full:
            self._sink.put(Item(complete=Item.Complete()).SerializeToString())

    def _tell_crowded(self, name: str) -> None:
        if name not in self._crowded:
            self._crowded.add(name)
            self._fail(name, _crowded())

    def _begin(self, watch: match_pb.WatchMatchRequest) -> None:
        place = self._places[watch.name] = _Place(watch)
        place.task = self._group.create_task(self._run(place))

    def _end(self, name: str) -> None:
        place = self._places.pop(name, None)
        if place is not None and place.task is not None:
            place.task.cancel()

    async def _run(self, place: _Place) -> None:
        watch, name = place.watch, place.watch.name
        try:
            table = await self._desk.fresh(name)
            viewer = viewer_of(table, self._caller.player, seat_of(watch))
            place.follower = Follower(
                self._desk.matches,
                table,
                viewer,
                watch.wanted,
                sink=self._sink,
                emit=lambda watched, request_id: self._emit(name, watched, request_id),
            )
            after = watch.after if watch.HasField("after") else None
            shown = partial(self._desk.shown_to, table, viewer, self._caller, watch.wanted)
            async with self._desk.accesses.watching("Play", self._caller, table, viewer) as see:
                await place.follower.run(after, shown, see)
        except Refused as refused:
            self._fail(name, refused)
        except Exception as error:  # noqa: BLE001 - the stream goes on; the client gets an error id
            self._fail(name, internal(error, method="Play"))
        if self._places.get(name) is place:
            del self._places[name]


def _watch(name: str, asked: match_pb.PlayRequest.FollowMine, after_version: int | None) -> match_pb.WatchMatchRequest:
    after = None if after_version is None else match_pb.Head(version=after_version)
    return match_pb.WatchMatchRequest(name=name, after=after, wanted=asked.wanted)


def _is_of_other_seats(place: _Place, found: Seated) -> bool:
    """Whether a match is followed as other seats than the caller has by now; who named a seat gets that one."""
    follower = place.follower
    return follower is not None and not place.watch.HasField("seat") and follower.viewer.seats != found.seats


def _crowded() -> Refused:
    text = f"a stream follows {MOST_FOLLOWED} matches at most"
    return Refused(Reason.ERROR_REASON_TOO_MANY_WATCHES, text, limit=MOST_FOLLOWED)
