"""One `Play` stream: follows many matches, carries their actions up, and comes back by itself after any break."""

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

import grpc
from argosy.client.calls import Calls, authorized
from argosy.client.errors import ArgosyError, TokenExpired, from_call, from_status
from argosy.client.retry import Patience
from argosy.client.silence import SILENCE_S
from argosy.client.transport import Link
from argosy.client.updates import Update
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1 import match_service_pb2_grpc

_AT_ONCE = ("DRAINING", "TOKEN_EXPIRED", "TOO_SLOW")


class Follower(Protocol):
    """What follows a match, as its stream sees it."""

    name: str

    @property
    def watch(self) -> match_pb2.WatchMatchRequest:
        """What to ask for now, after what has been received."""

    def receive(self, response: match_pb2.WatchMatchResponse) -> Update | None:
        """Takes one item; None for one that brings no entry. Raises ArgosyError when it does not fit."""

    def compare(self, response: match_pb2.PlayActionResponse) -> Update:
        """Reads an answer that came beside the followed entries."""

    def fail(self, error: ArgosyError) -> None:
        """Nothing more will come."""


class Answer:
    """An action on its way, until its answer is there."""

    def __init__(self, request: match_pb2.PlayActionRequest, follower: Follower) -> None:
        self.request, self.follower = request, follower
        self.update: asyncio.Future[Update] = asyncio.get_running_loop().create_future()

    def give(self, update: Update) -> None:
        """The entry that it became."""
        if not self.update.done():
            self.update.set_result(update)

    def refuse(self, error: ArgosyError) -> None:
        """Why it did not become one."""
        if not self.update.done():
            self.update.set_exception(error)


class Own(Protocol):
    """What wants all matches of the caller's."""

    asked: match_pb2.PlayRequest.FollowMine

    def seat(self, stream: "PlayStream", seated: match_pb2.PlayResponse.Seated) -> None:
        """Takes news of the caller's seats in a match; its items come to the follower that is then in `followers`."""

    def complete(self) -> None:
        """All matches of now were announced."""

    def fail(self, error: ArgosyError) -> None:
        """Nothing more will come."""


class PlayStream:
    """Run `run` in a task; everything else may be called before, during and after a break.

    With `own` it follows all of the caller's matches, after those that it follows already.
    """

    def __init__(self, calls: Calls, link: Link, own: Own | None = None) -> None:
        self.link, self._own = link, own
        self.followers: dict[str, Follower] = {}
        self._calls, self._patience = calls, Patience(total=float("inf"), most=2.0)
        self._answers: dict[str, Answer] = {}
        self._outbox: asyncio.Queue[match_pb2.PlayRequest] = asyncio.Queue()
        self._is_needed = asyncio.Event()
        self._breaks, self._bearer = 0, ""
        self._declined: set[str] = set()  # of `own`: not to be followed again
        if own is not None:
            self._is_needed.set()

    def follow(self, follower: Follower) -> None:
        """Follows the match from where the follower stands; also to follow it anew."""
        self.followers[follower.name] = follower
        self._declined.discard(follower.name)
        self._put(match_pb2.PlayRequest(follow=match_pb2.PlayRequest.Follow(watch=follower.watch)))

    def unfollow(self, follower: Follower) -> None:
        """Follows the match no longer. The caller gives the link's place back."""
        if self.followers.pop(follower.name, None) is not None:
            if self._own is not None:
                self._declined.add(follower.name)
            self._put(match_pb2.PlayRequest(unfollow=match_pb2.PlayRequest.Unfollow(name=follower.name)))

    async def ask(self, request: match_pb2.PlayActionRequest, follower: Follower) -> Update:
        """The entry that the action became. Sent again whenever the stream comes back; once refused, never."""
        answer = self._answers[request.request_id] = Answer(request, follower)
        self._put(match_pb2.PlayRequest(action=request))
        try:
            return await answer.update
        finally:
            self._answers.pop(request.request_id, None)

    async def run(self) -> None:
        """Keeps the stream open until cancelled. A failure that does not pass ends its followers, not the task."""
        try:
            while True:
                await self._is_needed.wait()
                try:
                    await self._once()
                except ArgosyError as error:
                    await self._recover(error)
        finally:
            self._give_up(ArgosyError("the client is closed", status=grpc.StatusCode.CANCELLED))

    async def _recover(self, failure: ArgosyError) -> None:
        renewed = isinstance(failure, TokenExpired) and self._calls.credentials.expire(self._bearer)
        if not failure.is_passing and not (renewed and self._breaks < 3):
            self._give_up(failure)
            return
        self._breaks += 1
        if self._breaks > 1 or failure.name not in _AT_ONCE:
            await asyncio.sleep(self._patience.delay(self._breaks - 1, failure.retry_after))

    def _give_up(self, failure: ArgosyError) -> None:
        self._is_needed.clear()
        for follower in list(self.followers.values()):
            follower.fail(failure)
        self.followers.clear()
        if self._own is not None:
            self._own.fail(failure)
        for answer in list(self._answers.values()):
            answer.refuse(failure)

    async def _once(self) -> None:
        """Opens the stream, asks again for everything that is followed or unanswered, and reads it to its end."""
        self._bearer = await self._calls.bearer()
        self._outbox = asyncio.Queue()
        for follower in self.followers.values():
            self._outbox.put_nowait(match_pb2.PlayRequest(follow=match_pb2.PlayRequest.Follow(watch=follower.watch)))
        if self._own is not None:
            for name in self._declined:
                self._outbox.put_nowait(match_pb2.PlayRequest(unfollow=match_pb2.PlayRequest.Unfollow(name=name)))
            self._outbox.put_nowait(match_pb2.PlayRequest(follow_mine=self._own.asked))
        for answer in self._answers.values():
            self._outbox.put_nowait(match_pb2.PlayRequest(action=answer.request))
        stub = match_service_pb2_grpc.MatchServiceStub(self.link.channel)
        call = stub.Play(_drain(self._outbox), metadata=authorized(self._bearer))
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(SILENCE_S) as silence:
                async for response in call:
                    silence.reschedule(clock() + SILENCE_S)
                    self._breaks = 0
                    self._receive(response)
        except grpc.aio.AioRpcError as error:
            raise from_call(error) from None
        except TimeoutError:
            raise ArgosyError("the stream is silent", status=grpc.StatusCode.UNAVAILABLE) from None
        finally:
            call.cancel()
        raise ArgosyError("the stream ended", status=grpc.StatusCode.UNAVAILABLE)

    def _put(self, request: match_pb2.PlayRequest) -> None:
        """What is put between two streams is asked for again by the next; nothing is lost."""
        self._outbox.put_nowait(request)
        self._is_needed.set()

    def _receive(self, response: match_pb2.PlayResponse) -> None:
        kind = response.WhichOneof("item")
        if kind == "followed":
            self._followed(response.followed)
        elif kind == "accepted":
            self._accepted(response.accepted)
        elif kind == "failed":
            self._failed(response.failed)
        elif kind == "seated" and self._own is not None:
            self._own.seat(self, response.seated)
        elif kind == "complete" and self._own is not None:
            self._own.complete()

    def _followed(self, followed: match_pb2.PlayResponse.Followed) -> None:
        follower, answer = self.followers.get(followed.name), self._answers.get(followed.request_id)
        update, failure = None, ArgosyError("the answer came twice or too late", status=grpc.StatusCode.UNAVAILABLE)
        try:
            update = follower.receive(followed.watch) if follower else None
        except ArgosyError as error:
            failure = error
            if follower:
                self.unfollow(follower)
                follower.fail(error)
        if answer and update:
            answer.give(update)
        elif answer:
            answer.refuse(failure)  # where it passes, asking again brings the answer by itself

    def _accepted(self, accepted: match_pb2.PlayResponse.Accepted) -> None:
        answer = self._answers.get(accepted.request_id)
        if answer is None:
            return
        try:
            answer.give(answer.follower.compare(accepted.response))
        except ArgosyError as error:
            answer.refuse(error)

    def _failed(self, failed: match_pb2.PlayResponse.Failed) -> None:
        error = from_status(failed.status)
        if failed.request_id:
            if answer := self._answers.get(failed.request_id):
                answer.refuse(error)
        elif follower := self.followers.get(failed.name):
            if error.is_passing:
                delay = self._patience.delay(1, error.retry_after)
                asyncio.get_running_loop().call_later(delay, self._again, follower)
            else:
                del self.followers[failed.name]
                follower.fail(error)

    def _again(self, follower: Follower) -> None:
        if self.followers.get(follower.name) is follower:
            self.follow(follower)


async def _drain(outbox: asyncio.Queue[match_pb2.PlayRequest]) -> AsyncIterator[match_pb2.PlayRequest]:
    while True:
        yield await outbox.get()
