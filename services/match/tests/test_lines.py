"""Questions reach the rules over a stream, and by calls wherever a stream fails."""
# ruff: noqa: N802 - gRPC names the methods

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from argosy.rules.v1 import rules_service_pb2 as pb
from argosy.rules.v1 import rules_service_pb2_grpc as rules_grpc

from services.match.lines import Line
from services.match.rules import RulesDirectory
from services.match.tests.card_rules import CardRules, card_game, serving

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub


def answers_to(questions: Any) -> list[pb.Answer]:
    """A refusal for each, by which the question is known again."""
    return [pb.Answer(refusal=pb.Refusal(code=f"SEAT_{question.seat}")) for question in questions]


def folded_of(folds: Any) -> list[pb.Folded]:
    """For each the state it began with."""
    return [pb.Folded(response=pb.FoldEventsResponse(state=fold.basis.state)) for fold in folds]


class ByCalls(CardRules):
    """Offers no streams."""

    def __init__(self) -> None:
        super().__init__([card_game()])
        self.calls, self.batches, self.folds = 0, 0, 0

    async def FoldEvents(self, request: pb.FoldEventsRequest, context: Any) -> pb.FoldEventsResponse:
        self.folds += 1
        if not request.basis.state:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "")
        return folded_of([request])[0].response

    async def DecideActions(self, request: pb.DecideActionsRequest, _: Any) -> pb.DecideActionsResponse:
        self.calls += 1
        return pb.DecideActionsResponse(answers=answers_to(request.questions))


class ByStreams(ByCalls):
    """Offers streams, each of which fails after so many batches: as is said, or by ending without an answer."""

    def __init__(self, batches: int, code: grpc.StatusCode | None = None) -> None:
        super().__init__()
        self._most, self._code = batches, code

    async def StreamDecisions(self, requests: AsyncIterator[pb.StreamDecisionsRequest], context: Any) -> Any:
        left = self._most
        async for request in requests:
            if not left:
                if self._code is not None:
                    await context.abort(self._code, "")
                return
            left -= 1
            self.batches += 1
            yield self._answer(request)

    def _answer(self, request: pb.StreamDecisionsRequest) -> pb.StreamDecisionsResponse:
        return pb.StreamDecisionsResponse(answers=answers_to(request.questions), folded=folded_of(request.folds))


class ByStreamsOfQuestions(ByStreams):
    """An older service, which knows no folds on its streams."""

    def _answer(self, request: pb.StreamDecisionsRequest) -> pb.StreamDecisionsResponse:
        return pb.StreamDecisionsResponse(answers=answers_to(request.questions))


async def ask(stub: "RulesServiceAsyncStub", batches: int) -> None:
    """Asks so many batches, the nth with n questions, and checks that each has its own answers."""
    line = Line(stub)
    for count in range(1, batches + 1):
        questions = [pb.Question(seat=10 * count + n) for n in range(count)]
        folds = [pb.FoldEventsRequest(basis=pb.Basis(state=bytes([n]))) for n in range(count % 3)]
        answers, folded = await line.ask(questions, folds)
        assert list(answers) == answers_to(questions)
        assert list(folded) == folded_of(folds)


async def asked(rules: ByCalls, batches: int) -> None:
    """The same, of this service."""
    async with serving(rules) as address, grpc.aio.insecure_channel(address) as channel:
        await ask(rules_grpc.RulesServiceStub(channel), batches)


async def test_a_stream_is_kept_open() -> None:
    rules = ByStreams(1000)  # type: ignore[abstract]  # as card_rules
    await asked(rules, 300)  # more than one stream carries
    assert (rules.batches, rules.calls, rules.folds) == (300, 0, 0)


async def test_who_knows_no_folds_on_streams_is_asked_for_them_by_calls() -> None:
    rules = ByStreamsOfQuestions(1000)  # type: ignore[abstract]  # as card_rules
    await asked(rules, 5)
    assert (rules.batches, rules.calls, rules.folds) == (5, 0, 1 + 2 + 0 + 1 + 2)


async def test_a_fold_that_fails_by_a_call_fails_alone() -> None:
    rules = ByCalls()  # type: ignore[abstract]  # as card_rules
    async with serving(rules) as address, grpc.aio.insecure_channel(address) as channel:
        folds = [pb.FoldEventsRequest(basis=pb.Basis(state=state)) for state in (b"a", b"", b"b")]
        answers, (first, failed, last) = await Line(rules_grpc.RulesServiceStub(channel)).ask([], folds)
    assert (list(answers), rules.calls) == ([], 0)
    assert [first, last] == folded_of([folds[0], folds[2]])
    assert isinstance(failed, grpc.aio.AioRpcError)
    assert failed.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("code", [None, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL])
async def test_a_batch_on_a_stream_that_ends_is_asked_by_a_call(code: grpc.StatusCode | None) -> None:
    rules = ByStreams(2, code)  # type: ignore[abstract]  # as card_rules
    await asked(rules, 9)
    assert rules.batches + rules.calls == 9
    assert rules.calls >= 3


async def test_who_offers_no_streams_is_asked_by_calls() -> None:
    rules = ByCalls()  # type: ignore[abstract]  # as card_rules
    await asked(rules, 5)
    assert (rules.calls, rules.folds) == (5, 1 + 2 + 0 + 1 + 2)


class Unreadable(grpc.GenericRpcHandler):
    """Answers every call with bytes that are no message."""

    def service(self, _: grpc.HandlerCallDetails) -> Any:
        async def answer(_: bytes, __: Any) -> bytes:
            return b"\xff\xff\xff"

        return grpc.unary_unary_rpc_method_handler(answer)


@asynccontextmanager
async def unreadable() -> AsyncIterator[str]:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((Unreadable(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


async def test_an_answer_that_cannot_be_read_is_a_failure_of_the_call() -> None:
    async with unreadable() as address, grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await Line(rules_grpc.RulesServiceStub(channel)).ask([pb.Question()])


async def test_a_description_that_cannot_be_read_is_of_no_game() -> None:
    async with unreadable() as address:
        directory = RulesDirectory({"cards": address})
        await directory.refresh()
        assert directory.playable() == []
        await directory.close()
