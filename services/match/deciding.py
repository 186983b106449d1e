"""Asks rules services to decide: questions that wait for the same service travel together."""

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1

from services.kit.errors import Reason, Refused
from services.match.games import GameEntry
from services.match.lines import Line

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

_MOST = 256  # questions of one batch
_UNTOLD = rules_v1.Answer(failure=rules_v1.Failure(error_id="wrong-number-of-answers"))
_Waiting = tuple[rules_v1.Question, asyncio.Future[rules_v1.Answer]]


class Decider:
    """One batch at a time for each rules service, with all that arrived meanwhile in the next."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._waiting: dict[RulesServiceAsyncStub, list[_Waiting]] = {}
        self._busy: set[RulesServiceAsyncStub] = set()
        self._lines: dict[RulesServiceAsyncStub, Line] = {}

    async def decide(self, game: GameEntry, question: rules_v1.Question) -> rules_v1.Answer:
        """The answer. Refuses RULES_UNAVAILABLE when the service does not answer in time, INTERNAL where it failed."""
        future: asyncio.Future[rules_v1.Answer] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(game.stub, []).append((question, future))
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
        try:
            answers = await line.ask([question for question, _ in batch])
        except (grpc.aio.AioRpcError, TimeoutError) as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        except BaseException:  # whoever waits holds a table: better refused than never answered
            _untold(batch)
            raise
        if len(answers) != len(batch):  # whose answer is whose cannot be told
            _untold(batch)
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)


def _untold(batch: list[_Waiting]) -> None:
    for _, future in batch:
        if not future.done():
            future.set_result(_UNTOLD)


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
