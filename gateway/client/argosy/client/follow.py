"""A match being followed: an iterator of its updates, and the way for actions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

from argosy.client import ids
from argosy.client.errors import ArgosyError
from argosy.client.evidence import Evidence
from argosy.client.games import Game
from argosy.client.reading import read_match, read_update, widest_part
from argosy.client.retry import Patience, persist
from argosy.client.stream import Follower
from argosy.client.updates import LegalAction, Update
from argosy.client.verify import Verifier
from argosy.v1 import match_service_pb2 as match_pb2
from google.protobuf.message import Message


class Carrier(Protocol):
    """What carries a followed match: a `Play` stream, or WatchMatch and PlayAction."""

    def follow(self, follower: Follower) -> None:
        """Asks for the match from where the follower stands."""

    def unfollow(self, follower: Follower) -> None:
        """Asks for it no longer."""

    async def ask(self, request: match_pb2.PlayActionRequest, follower: Follower) -> Update:
        """The entry that the action became."""


class Home(Protocol):
    """What a followed match needs of its client."""

    async def seated(self, match: str, seat: int | None) -> tuple[Game, Sequence[int]]:
        """The match's game, and the seats whose parts will come."""

    def carry(self, follower: Follower) -> Carrier:
        """A carrier with room for the match; it carries it from now on."""

    async def legal(self, game: Game, match: str, seat: int) -> tuple[Sequence[LegalAction], int]:
        """The legal actions of the seat, and the version for which they are legal."""

    def release(self, follower: Follower) -> None:
        """The match is followed no longer: gives its place on the connection back."""


class Following:
    """Iterate over it: one Update per entry, none twice and none left out; it ends after the entry that ends the match.

    It begins when iteration begins (or with `async with`, which also ends it early). Every entry is checked against
    the chain; HistoryDiverged means that the server's history is not the one received before. A broken connection is
    resumed by version and digest without anybody noticing. Updates wait in memory until they are read: at most a
    match's 5,000 entries.
    """

    def __init__(
        self,
        home: Home,
        match: str,
        wanted: match_pb2.Wanted,
        *,
        seat: int | None,
        start: match_pb2.Head | None,
        evidence: Evidence | None = None,
    ) -> None:
        self.name, self.seat = ids.match_name(match), seat
        self._home, self._wanted, self._start = home, wanted, start
        self._updates: asyncio.Queue[Update | ArgosyError | None] = asyncio.Queue()
        self._opening = asyncio.Lock()
        self._carrier: Carrier | None = None
        self._game: Game | None = None
        self._verifier: Verifier | None = None
        self._has_begun = self._is_over = False
        self._evidence = evidence
        self.last: Update | None = None

    async def __aenter__(self) -> Self:
        await self.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __aiter__(self) -> AsyncIterator[Update]:
        return self

    async def __anext__(self) -> Update:
        await self.begin()
        update = await self._updates.get()
        if isinstance(update, Update):
            return await self._with_actions(update) if update.snapshot is not None else update
        self._updates.put_nowait(update)  # whoever asks again gets the same
        if update is None:
            raise StopAsyncIteration
        raise update

    async def begin(self) -> None:
        """Starts following; does nothing when it has begun. Raises NotFound for a match that is not one's to see."""
        async with self._opening:
            if self._carrier is None and not self._is_over:
                self._game, seats = await self._home.seated(self.name, self.seat)
                self._verifier = Verifier(self.name, self._game, seats)
                if self._evidence is not None:
                    self._evidence.begin(self.name, self._game, seats)
                if self._start is not None and self._start.version:
                    self._verifier.trust(self._start)
                self._carrier = self._home.carry(self)

    def close(self) -> None:
        """Follows the match no longer. What has come can still be read."""
        if not self._is_over:
            if self._carrier is not None:
                self._carrier.unfollow(self)
            self._finish(None)

    def end(self) -> None:
        """Nothing more comes: the caller has left the match."""
        if not self._is_over:
            self._finish(None)

    def reseat(self, seats: Sequence[int]) -> None:
        """The seats whose parts come from here on."""
        self.seat = seats[0] if len(seats) == 1 else None
        if self._verifier is not None:
            self._verifier.seats = tuple(seats)

    async def play(
        self,
        action: Message,
        *,
        at: Update | None = None,
        seat: int | None = None,
        request_id: str = "",
        patience: Patience | None = None,
    ) -> Update:
        """The entry that the action became, also among the updates. Sent again, the same, until it is answered.

        `at` is the update that was decided on: when the match went on since, StaleVersion is raised. Raises
        IllegalAction, MalformedAction, MatchEnded and others; then nothing was recorded. Keep `request_id` before
        calling to be able to ask again after a crash of one's own.
        """
        await self.begin()
        if self._carrier is None or self._game is None:
            raise ArgosyError(f"{self.name} is followed no longer", name="MATCH_ENDED")
        request = match_pb2.PlayActionRequest(
            name=self.name,
            seat=self.seat if seat is None else seat,
            action=self._game.pack(action),
            request_id=request_id or ids.new_request_id(),
            wanted=self._wanted,
            want_receipt=self._evidence is not None,
        )
        if at is not None:
            request.expected_version, request.expected_digest = at.version, at.digest
        carrier = self._carrier
        try:
            return await persist(lambda: carrier.ask(request, self), patience or Patience())
        except ArgosyError as error:
            if self._evidence is not None and error.refusal is not None:
                self._evidence.add_refusal(error.refusal)
            raise

    @property
    def watch(self) -> match_pb2.WatchMatchRequest:
        """What the carrier asks for: what follows the last entry received."""
        after = self._start
        if self._verifier is not None and self._verifier.version:
            after = match_pb2.Head(version=self._verifier.version, digest=self._verifier.digest)
        return match_pb2.WatchMatchRequest(name=self.name, seat=self.seat, after=after, wanted=self._wanted)

    def receive(self, response: match_pb2.WatchMatchResponse) -> Update | None:
        """Checks an item and puts it before the reader."""
        if self._is_over or self._verifier is None:
            return None
        kind = response.WhichOneof("item")
        if kind == "match":
            return self._stand(response.match)
        if kind == "update":
            return self._advance(response.update)
        if kind == "heartbeat":
            self._verifier.expect(response.heartbeat)
            if response.heartbeat.version > self._verifier.version and self._carrier:
                self._carrier.follow(self)
        return None

    def compare(self, response: match_pb2.PlayActionResponse) -> Update:
        """An answer beside the entries: its digest has to be that of the entry which comes, or came last."""
        assert self._verifier is not None
        assert self._game is not None
        entry = response.update.entry
        self._verifier.expect(match_pb2.Head(version=entry.version, digest=entry.digest))
        if self._evidence is not None and response.HasField("receipt"):
            self._evidence.add_receipt(response.receipt)
        return read_update(self.name, self._game, response.update, widest_part(entry))

    def fail(self, error: ArgosyError) -> None:
        """Raised to the reader after what has come."""
        if not self._is_over:
            self._finish(error)

    def _finish(self, last: ArgosyError | None) -> None:
        self._is_over = True
        self._updates.put_nowait(last)
        self._home.release(self)

    async def _with_actions(self, update: Update) -> Update:
        """Where the match stands, with the seat's actions where wanted: older servers do not send them along."""
        if update.actions is not None:
            return update
        may_act = update.status is not None and self.seat in update.status.may_act
        if not self._wanted.actions or self.seat is None or self._game is None or not may_act:
            return update
        actions, version = await self._home.legal(self._game, self.name, self.seat)
        if version != update.version:
            return update  # the match went on: the next update has them
        complete = replace(update, actions=tuple(actions))
        if self.last is update:
            self.last = complete
        return complete

    def _stand(self, match: match_pb2.Match) -> Update | None:
        assert self._verifier is not None
        assert self._game is not None
        if self._has_begun and match.head.version <= self._verifier.version:
            self._verifier.expect(match.head)
            return None
        self._verifier.trust(match.head, match.sealed_parts)
        return self._tell(read_match(self.name, self._game, match))

    def _advance(self, told: match_pb2.EntryUpdate) -> Update | None:
        assert self._verifier is not None
        if told.entry.version <= self._verifier.version:
            self._verifier.expect(match_pb2.Head(version=told.entry.version, digest=told.entry.digest))
            return None
        if told.entry.version > self._verifier.version + 1 and self._carrier is not None:
            self._carrier.follow(self)  # something was left out: ask for it
            return None
        assert self._game is not None
        part = self._verifier.advance(told.entry)
        if self._evidence is not None:
            self._evidence.add_entry(told.entry)
        return self._tell(read_update(self.name, self._game, told, part))

    def _tell(self, update: Update) -> Update:
        self._has_begun, self.last = True, update
        self._updates.put_nowait(update)
        if update.end is not None:
            self._finish(None)
        return update
