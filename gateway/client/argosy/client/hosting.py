"""What a host does about matches that are not its own: ends them, rules on them, opens them."""

from collections.abc import AsyncIterator, Iterable

from argosy.client import ids
from argosy.client.calls import Calls
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1 import replay_service_pb2 as replay_pb2
from argosy.v1 import ruling_service_pb2 as pb
from argosy.v1 import ruling_service_pb2_grpc as pb_grpc

Kind = replay_pb2.Ruling.Kind
End = entry_pb2.End


class Hosting:
    """Calls for a key of scope host or admin; `rulings` is for everybody who may see the match.

    Reasons are UPPER_SNAKE_CASE, for everybody who may see the match; free text is never kept.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls, self._stub = calls, pb_grpc.RulingServiceStub(calls.links.first)

    async def abort(
        self, match: str, reason: str, *, void: bool = False, receipt: bool = False, request_id: str = ""
    ) -> match_pb2.AbortMatchResponse:
        """Ends a match that goes on, without a result; with `void` as one that counts for nothing."""
        request = match_pb2.AbortMatchRequest(
            name=ids.match_name(match),
            outcome=End.OUTCOME_VOIDED if void else End.OUTCOME_ABORTED,
            reason=reason,
            request_id=request_id or ids.new_request_id(),
            want_receipt=receipt,
        )
        return await self._calls.send(self._calls.matches.AbortMatch, request)

    async def rule(
        self, match: str, kind: Kind.ValueType, reason: str, *, scores: Iterable[float] = (), request_id: str = ""
    ) -> replay_pb2.SignedRuling:
        """Rules on a match that is over or frozen; a note may be made on any.

        `scores` are for KIND_ADJUDICATE: one from 0 to 1 for each seat.
        """
        request = pb.RuleMatchRequest(
            name=ids.match_name(match),
            kind=kind,
            scores=scores,
            reason=reason,
            request_id=request_id or ids.new_request_id(),
        )
        return (await self._calls.send(self._stub.RuleMatch, request)).ruling

    async def disclose(self, match: str, reason: str = "DISCLOSED", *, request_id: str = "") -> replay_pb2.SignedRuling:
        """Opens what was hidden in a match that is over and whose disclosure is the host's, to all who may see it."""
        return await self.rule(match, Kind.KIND_DISCLOSE, reason, request_id=request_id)

    async def rulings(self, match: str) -> AsyncIterator[replay_pb2.SignedRuling]:
        """The rulings on a match, in their order, each with its proof once the log has it."""
        request = pb.ListRulingsRequest(name=ids.match_name(match))
        while True:
            page = await self._calls.send(self._stub.ListRulings, request)
            for ruling in page.rulings:
                yield ruling
            request.page_token = page.next_page_token
            if not request.page_token:
                return
