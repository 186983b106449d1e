"""Batches of questions and folds to a rules service: over a stream that stays open, or by calls where that fails.

Neither changes anything anywhere, so whatever goes wrong with a stream, the batch is asked again by calls.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

    StreamCall = grpc.aio.StreamStreamCall[Any, Any]  # generic in the stubs only

DEADLINE_S = 10.0
_BATCHES = 256
"""Batches of one stream; then another is begun, since a stream stays with the replica that it was begun at."""
_OTHERS = 2  # more replicas that are tried
_ELSEWHERE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.NOT_FOUND)
A = TypeVar("A")
Folded = rules_v1.Folded | grpc.aio.AioRpcError
Answers = tuple[Sequence[rules_v1.Answer], Sequence[Folded]]
_BROKEN = (grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError)


class Line:
    """The way to one rules service; one batch at a time."""

    def __init__(self, stub: "RulesServiceAsyncStub") -> None:
        self._stub = stub
        self._stream: StreamCall | None = None
        self._left, self._has_streams = 0, True

    async def ask(
        self, questions: Sequence[rules_v1.Question], folds: Sequence[rules_v1.FoldEventsRequest] = ()
    ) -> Answers:
        """The answers. Raises AioRpcError or TimeoutError; of a fold that fails by itself the error is its answer."""
        if not self._has_streams:
            return await self._call(questions), await self._fold(folds)
        try:
            async with asyncio.timeout(DEADLINE_S):
                response = await self._converse(questions, folds)
        except TimeoutError:
            self._end()
            raise
        except _BROKEN as error:
            self._end()
            self._has_streams = not _is_unimplemented(error)
        except BaseException:
            self._end()  # what comes next on it would answer this batch
            raise
        else:
            if response is not None:
                return response.answers, response.folded or await self._fold(folds)
            self._end()
        return await self._call(questions), await self._fold(folds)

    async def _converse(
        self, questions: Sequence[rules_v1.Question], folds: Sequence[rules_v1.FoldEventsRequest]
    ) -> rules_v1.StreamDecisionsResponse | None:
        """The answers over the stream; None where the service has ended it."""
        if self._stream is None or not self._left:
            self._end()
            self._stream, self._left = self._stub.StreamDecisions(), _BATCHES
        self._left -= 1
        await self._stream.write(rules_v1.StreamDecisionsRequest(questions=questions, folds=folds))
        response = await self._stream.read()
        return response if isinstance(response, rules_v1.StreamDecisionsResponse) else None

    async def _call(self, questions: Sequence[rules_v1.Question]) -> Sequence[rules_v1.Answer]:
        """The answers of calls, which may go to one replica after the other."""
        if not questions:
            return ()
        request = rules_v1.DecideActionsRequest(questions=questions)
        return (await answered(self._stub.DecideActions, request)).answers

    async def _fold(self, folds: Sequence[rules_v1.FoldEventsRequest]) -> Sequence[Folded]:
        return await asyncio.gather(*map(self._fold_one, folds)) if folds else ()

    async def _fold_one(self, request: rules_v1.FoldEventsRequest) -> Folded:
        try:
            return rules_v1.Folded(response=await answered(self._stub.FoldEvents, request))
        except grpc.aio.AioRpcError as error:
            return error

    def _end(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.cancel()


def _is_unimplemented(error: Exception) -> bool:
    return isinstance(error, grpc.aio.AioRpcError) and error.code() is grpc.StatusCode.UNIMPLEMENTED


async def answered(call: Callable[..., Awaitable[A]], request: Any) -> A:
    """The answer of a rules service, asked again where another replica may have one.

    That is where the one that was asked went away, or does not know these rules: as in a rolling upgrade, when only
    some know the new ones. Raises AioRpcError, also for an answer that cannot be read.
    """
    for _ in range(_OTHERS):
        try:
            return readable(await call(request, timeout=DEADLINE_S))
        except grpc.aio.AioRpcError as error:
            if error.code() not in _ELSEWHERE:
                raise
    return readable(await call(request, timeout=DEADLINE_S))


def readable(answer: A | None) -> A:
    """The answer. Raises AioRpcError for None: grpc.aio has it where the bytes are no message of the kind expected."""
    if answer is None:
        nothing = grpc.aio.Metadata()
        raise grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, nothing, "the answer cannot be read")
    return answer
