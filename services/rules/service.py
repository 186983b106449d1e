"""The rules contract over gRPC."""
# ruff: noqa: ARG002, N802 - gRPC names the methods and gives each a context

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import grpc
from argosy.rules.v1 import rules_service_pb2 as pb
from argosy.rules.v1 import rules_service_pb2_grpc as rules_grpc

from services.kit.codec import Malformed
from services.kit.errors import internal, invalid, not_found
from services.rules.audit import audit
from services.rules.basis import UnreadableBasis, read_basis
from services.rules.catalogue import Catalogue, UnknownGame
from services.rules.decision import decide, fill_status, fill_wanted, start
from services.rules.description import describe, read_asset
from services.rules.listing import BadListing, choose_language, list_actions
from services.rules.loading import Loaded
from services.rules.open_streams import OpenStreams

LARGEST_BATCH = 1_024
_BREATH = 64  # questions decided before other calls get a turn, about 10 ms

Context = grpc.aio.ServicerContext[Any, Any]


_UNDRAWABLE = (LookupError, ValueError, ArithmeticError, TypeError, AttributeError)
"""What drawing raises at numbers and names that no match has: clients send positions and events as they like."""


class BadRequest(ValueError):
    """A request that the platform never makes. Its text names no values."""


@contextlib.contextmanager
def _statuses() -> Iterator[None]:
    """Turns what a caller did wrong into the contract's status codes. All else is a bug of ours and stays one."""
    try:
        yield
    except UnknownGame as unknown:
        raise not_found(str(unknown)) from None
    except (UnreadableBasis, BadListing, BadRequest) as unreadable:
        raise invalid("request", str(unreadable)) from None


class Rules(rules_grpc.RulesServiceServicer):
    """Answers for the games of a catalogue. Keeps nothing."""

    def __init__(self, games: Catalogue) -> None:
        self._games, self._streams = games, OpenStreams()
        self._described = pb.DescribeGamesResponse(games=[describe(game) for game in games])

    async def DescribeGames(self, request: pb.DescribeGamesRequest, context: Context) -> pb.DescribeGamesResponse:
        """What was put together at the start."""
        return self._described

    async def StartMatch(self, request: pb.StartMatchRequest, context: Context) -> pb.StartMatchResponse:
        """The events that set a match up."""
        response = pb.StartMatchResponse()
        with _statuses():
            start(self._games.find(request.game, request.rules_version), request, response)
        return response

    async def DecideActions(self, request: pb.DecideActionsRequest, context: Context) -> pb.DecideActionsResponse:
        """An answer for each question; one that fails is logged and fails alone."""
        response = pb.DecideActionsResponse()
        with _statuses():
            await self._decide_all(request.questions, response.answers, _Pace())
        return response

    async def StreamDecisions(
        self, requests: AsyncIterator[pb.StreamDecisionsRequest], context: Context
    ) -> AsyncIterator[pb.StreamDecisionsResponse]:
        """The same and folds, batch by batch, until the client ends the stream or this process goes away."""
        with self._streams.entered():
            async for request in requests:
                response, pace = pb.StreamDecisionsResponse(), _Pace(len(request.folds))
                with _statuses():
                    await self._decide_all(request.questions, response.answers, pace)
                    await self._fold_all(request.folds, response.folded, pace)
                yield response

    async def FoldEvents(self, request: pb.FoldEventsRequest, context: Context) -> pb.FoldEventsResponse:
        """The state after the events."""
        response = pb.FoldEventsResponse()
        with _statuses():
            _fold(self._find(request.basis), request, response)
        return response

    async def GetPosition(self, request: pb.GetPositionRequest, context: Context) -> pb.GetPositionResponse:
        """The whole position; the caller redacts it."""
        response = pb.GetPositionResponse()
        with _statuses():
            game = self._find(request.basis)
            position = game.module.position(read_basis(game, request.basis))
            response.position = game.position.to_bytes(position)
        return response

    async def ListActions(self, request: pb.ListActionsRequest, context: Context) -> pb.ListActionsResponse:
        """A page of the seat's legal actions."""
        response = pb.ListActionsResponse()
        with _statuses():
            game = self._find(request.basis)
            _check_seat(game, request.seat)
            list_actions(game, read_basis(game, request.basis), request, response)
        return response

    async def DrawPosition(self, request: pb.DrawPositionRequest, context: Context) -> pb.DrawPositionResponse:
        """What a viewer sees, as text, and what happened, in sentences."""
        response = pb.DrawPositionResponse()
        with _statuses():
            _draw(self._games.find(request.game, request.rules_version), request, response)
        return response

    async def AuditHistory(self, request: pb.AuditHistoryRequest, context: Context) -> pb.AuditHistoryResponse:
        """The first difference between a record and the rules."""
        response = pb.AuditHistoryResponse()
        with _statuses():
            audit(self._games.find(request.game, request.rules_version), request, response)
        return response

    async def ReadAsset(self, request: pb.ReadAssetRequest, context: Context) -> pb.ReadAssetResponse:
        """One of the files that the game names."""
        with _statuses():
            game = self._games.find(request.game, request.rules_version)
            if request.name not in game.module.DESCRIPTION.assets:
                raise UnknownGame(f"{game.id} {request.name[:40]}")
            content, media_type = read_asset(game, request.name)
            return pb.ReadAssetResponse(content=content, media_type=media_type)

    async def end_streams(self, draining: asyncio.Event) -> None:
        """Ends the streams that stay open when the process drains: whoever asks begins another elsewhere."""
        await draining.wait()
        self._streams.end()

    async def _decide_all(self, questions: Sequence[pb.Question], answers: Any, pace: "_Pace") -> None:
        pace.check(len(questions))
        for question in questions:
            _decide_alone(self._find(question.basis), question, answers.add())
            await pace.step()

    async def _fold_all(self, requests: Sequence[pb.FoldEventsRequest], folded: Any, pace: "_Pace") -> None:
        for request in requests:
            _fold_alone(self._find(request.basis), request, folded.add())
            await pace.step()

    def _find(self, basis: pb.Basis) -> Loaded:
        return self._games.find(basis.game, basis.rules_version)


class _Pace:
    """How a batch is worked through: `others` are its items beside the questions."""

    def __init__(self, others: int = 0) -> None:
        self._others, self._done = others, 0

    def check(self, questions: int) -> None:
        """Raises BadRequest for a batch that is too large."""
        if (count := questions + self._others) > LARGEST_BATCH:
            raise BadRequest(f"{count} questions; at most {LARGEST_BATCH}")

    async def step(self) -> None:
        """Lets other calls have a turn now and then."""
        self._done += 1
        if self._done % _BREATH == 0:
            await asyncio.sleep(0)


def _decide_alone(game: Loaded, question: pb.Question, answer: pb.Answer) -> None:
    """Decides, or notes the failure: a defect met by one match must not stop the others."""
    try:
        _check_seat(game, question.seat)
        decide(game, question, answer)
    except Exception as error:  # noqa: BLE001  # whatever the rules of a game raise
        answer.failure.error_id = internal(error, game=game.id).facts["error_id"]


def _fold(game: Loaded, request: pb.FoldEventsRequest, response: pb.FoldEventsResponse) -> None:
    state = read_basis(game, request.basis)
    response.state = game.encode_state(state)
    fill_status(game.module.status(state), response.status)
    fill_wanted(game, state, request.wanted, response)


def _fold_alone(game: Loaded, request: pb.FoldEventsRequest, folded: pb.Folded) -> None:
    """Folds, or notes the failure, as with a question."""
    try:
        _fold(game, request, folded.response)
    except Exception as error:  # noqa: BLE001  # as above
        folded.failure.error_id = internal(error, game=game.id).facts["error_id"]


def _check_seat(game: Loaded, seat: int) -> None:
    if not 0 <= seat < game.module.DESCRIPTION.max_seats:
        raise BadRequest(f"{game.id} has no seat {seat}")


def _draw(game: Loaded, request: pb.DrawPositionRequest, response: pb.DrawPositionResponse) -> None:
    language = choose_language(game, request.language)
    viewer = request.viewer if request.HasField("viewer") else None
    try:
        if request.position:
            position = game.position.from_bytes(request.position)
            response.text = game.module.draw(position, viewer, language)
        events = [game.event.from_bytes(data) for data in request.events]
        response.sentences.extend(game.module.tell(event, language) for event in events)
    except Malformed as malformed:
        raise BadRequest(f"no position or event of {game.id}: {malformed}") from None
    except _UNDRAWABLE:
        raise BadRequest(f"no position or event that a match of {game.id} comes to") from None
