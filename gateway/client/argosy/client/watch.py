"""Follows one match by WatchMatch and acts by PlayAction, for servers or proxies without streams both ways."""

import asyncio

import grpc
from argosy.client.calls import Calls, authorized
from argosy.client.errors import ArgosyError, TokenExpired, TooManyWatches, from_call
from argosy.client.retry import Patience
from argosy.client.silence import SILENCE_S
from argosy.client.stream import Follower
from argosy.client.transport import Link
from argosy.client.updates import Update
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1 import match_service_pb2_grpc

_MOST_MOVES = 3
"""So many other connections are tried when the server finds one crowded: a proxy may join them all into one."""


class Watch:
    """Carries one match; run `run` in a task. It ends with the match or when the match is unfollowed."""

    def __init__(self, calls: Calls, link: Link) -> None:
        self.link = link
        self.followers: dict[str, Follower] = {}
        self._calls, self._patience, self._breaks, self._bearer = calls, Patience(total=float("inf"), most=2.0), 0, ""
        self._is_behind, self._moves = False, 0
        self._call: grpc.aio.UnaryStreamCall[match_pb2.WatchMatchRequest, match_pb2.WatchMatchResponse] | None = None

    def follow(self, follower: Follower) -> None:
        """Asks for what follows the follower's last entry."""
        self.followers[follower.name] = follower
        self._interrupt()

    def unfollow(self, follower: Follower) -> None:
        """Ends the watch."""
        self.followers.pop(follower.name, None)
        self._interrupt()

    def _interrupt(self) -> None:
        self._is_behind = True
        if self._call is not None:
            self._call.cancel()

    async def ask(self, request: match_pb2.PlayActionRequest, follower: Follower) -> Update:
        """The entry that the action became."""
        return follower.compare(await self._calls.send(self._calls.matches.PlayAction, request))

    async def run(self) -> None:
        """Watches until the match ends or fails for good."""
        while self.followers:
            (follower,) = self.followers.values()
            try:
                await self._once(follower)
            except TooManyWatches as crowded:
                self._moves += 1
                if self._moves > _MOST_MOVES:
                    self.followers.clear()
                    follower.fail(crowded)
                    return
                self.link = self._calls.links.move(self.link)
            except ArgosyError as error:
                renewed = isinstance(error, TokenExpired) and self._calls.credentials.expire(self._bearer)
                if not renewed and not error.is_passing:
                    self.followers.clear()
                    follower.fail(error)
                    return
                self._breaks += 1
                await asyncio.sleep(self._patience.delay(self._breaks - 1, error.retry_after))

    async def _once(self, follower: Follower) -> None:
        self._is_behind = False
        stub = match_service_pb2_grpc.MatchServiceStub(self.link.channel)
        self._bearer = await self._calls.bearer()
        self._call = call = stub.WatchMatch(follower.watch, metadata=authorized(self._bearer))
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(SILENCE_S) as silence:
                async for response in call:
                    silence.reschedule(clock() + SILENCE_S)
                    self._breaks = 0
                    follower.receive(response)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._is_behind or (task and task.cancelling()):
                raise
            return  # it was this watch that ended the call, to ask anew
        except grpc.aio.AioRpcError as error:
            raise from_call(error) from None
        except TimeoutError:
            raise ArgosyError("the stream is silent", status=grpc.StatusCode.UNAVAILABLE) from None
        finally:
            call.cancel()
        if self.followers:
            raise ArgosyError("the stream ended", status=grpc.StatusCode.UNAVAILABLE)
