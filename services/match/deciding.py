"""Asks rules services to decide and to fold: questions that wait for the same service travel together."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1

from services.kit.errors import Reason, Refused
from services.match.games import GameEntry
from services.match.lines import Line

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

_MOST = 256  # questions of one batch
_UNTOLD = rules_v1.Failure(error_id="wrong-number-of-answers")
_Asked = rules_v1.Question | rules_v1.FoldEventsRequest
_Answer = rules_v1.Answer | rules_v1.Folded
_Waiting = tuple[_Asked, asyncio.Future[_Answer]]


class Decider:
    """One batch at a time for each rules service, with all that arrived meanwhile in the next."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._waiting: dict[RulesServiceAsyncStub, list[_Waiting]] = {}
        self._busy: set[RulesServiceAsyncStub] = set()
        self._lines: dict[RulesServiceAsyncStub, Line] = {}

    async def decide(self, game: GameEntry, question: rules_v1.Question) -> rules_v1.Answer:
        """The answer. Refuses RULES_UNAVAILABLE when the service does not answer in time, INTERNAL where it failed."""
        answer = await self._answer(game, question)
        assert isinstance(answer, rules_v1.Answer)
        return answer

    async def fold(self, game: GameEntry, request: rules_v1.FoldEventsRequest) -> rules_v1.FoldEventsResponse:
        """State, status and what else is wanted. Refuses as `decide` does."""
        folded = await self._answer(game, request)
        assert isinstance(folded, rules_v1.Folded)
        return folded.response

    async def _answer(self, game: GameEntry, asked: _Asked) -> _Answer:
        future: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(game.stub, []).append((asked, future))
        if game.stub not in self._busy:
            self._busy.add(game.stub)
            self._group.create_task(self._run(game))
        try:
            answer = await future
        except (grpc.aio.AioRpcError, TimeoutError) as error:
            raise unavailable(game, error) from None
        if answer.HasField("failure"):
            error_id = answer.failure.error_id
            raise Refused(Reason.ERROR_REASON_INTERNAL, f"internal error {error_id}", error_id=error_id)
        return answer

    async def _run(self, game: GameEntry) -> None:
        waiting = self._waiting[game.stub]
        try:
            while waiting:
                batch, waiting[:] = waiting[:_MOST], waiting[_MOST:]
                await self._ask(game, [item for item in batch if not item[1].done()])
        finally:
            self._busy.discard(game.stub)

    async def _ask(self, game: GameEntry, batch: list[_Waiting]) -> None:
        if not batch:
            return
        line = self._lines.get(game.stub)
        if line is None:
            line = self._lines[game.stub] = Line(game.stub)
        questions, folds = list[rules_v1.Question](), list[rules_v1.FoldEventsRequest]()
        deciding, folding = list[asyncio.Future[_Answer]](), list[asyncio.Future[_Answer]]()
        for asked, future in batch:
            if isinstance(asked, rules_v1.Question):
                questions.append(asked)
                deciding.append(future)
            else:
                folds.append(asked)
                folding.append(future)
        try:
            answers, folded = await line.ask(questions, folds)
        except (grpc.aio.AioRpcError, TimeoutError) as error:
            _hand_out([error] * len(batch), deciding + folding)
        except BaseException:  # whoever waits holds a table: better refused than never answered
            _hand_out((), deciding)
            _hand_out((), folding)
            raise
        else:
            _hand_out(answers, deciding)
            _hand_out(folded, folding)


def _hand_out(answers: Sequence[_Answer | Exception], futures: Sequence[asyncio.Future[_Answer]]) -> None:
    """Gives each its own; nobody any where they are too few or too many: whose answer is whose cannot be told."""
    if len(answers) != len(futures):
        answers = [rules_v1.Answer(failure=_UNTOLD)] * len(futures)
    for answer, future in zip(answers, futures, strict=True):
        if future.done():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def unavailable(game: GameEntry, error: grpc.aio.AioRpcError | TimeoutError) -> Refused:
    """What a client is told when the rules service fails: nothing of why."""
    code = grpc.StatusCode.DEADLINE_EXCEEDED if isinstance(error, TimeoutError) else error.code()
    return Refused(
        Reason.ERROR_REASON_RULES_UNAVAILABLE,
        f"the rules of {game.id} {game.rules_version} do not answer ({code.name})",
        retry_s=0.5,
        game=game.id,
        rules_version=game.rules_version,
    )


def refused(answer: rules_v1.Refusal, **facts: Any) -> Refused:
    """A refusal of the rules as a client receives it."""
    match answer.kind:
        case rules_v1.Refusal.KIND_MALFORMED:
            text = f"the action cannot be read: {answer.field or 'message'}"
            reason = Reason.ERROR_REASON_MALFORMED_ACTION
            return Refused(reason, text, rule=answer.code, field=answer.field, **facts)
        case rules_v1.Refusal.KIND_TOO_LARGE:
            return Refused(Reason.ERROR_REASON_TOO_LARGE, "the decision exceeds a limit", limit=answer.code, **facts)
        case _:
            return Refused(Reason.ERROR_REASON_ILLEGAL_ACTION, f"refused: {answer.code}", rule=answer.code, **facts)
