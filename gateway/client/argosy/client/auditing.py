"""Who read what of a match, and who could know what."""

from collections.abc import AsyncIterator, Iterable, Sequence

from argosy.client import ids
from argosy.client.calls import Calls
from argosy.v1 import access_pb2
from argosy.v1 import knowledge_pb2 as pb
from argosy.v1 import replay_service_pb2_grpc as pb_grpc

Access = access_pb2.Access
_PAGE = 100


class Auditing:
    """Calls about what others have seen. What is not open to the caller but by its scope needs a `reason`."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._stub = calls, pb_grpc.ReplayServiceStub(calls.links.first)

    async def accesses(
        self, match: str = "", *, player: str = "", privileged: bool = False
    ) -> AsyncIterator[access_pb2.Access]:
        """Who read what, those that began last first.

        Who held a seat sees the privileged reads of a match that is over, made while it went on; scopes audit and
        admin all, also of all matches.
        """
        name = ids.match_name(match) if match else ""
        request = access_pb2.ListAccessesRequest(match=name, player=player, privileged=privileged, page_size=_PAGE)
        while True:
            page = await self._calls.send(self._stub.ListAccesses, request)
            for access in page.accesses:
                yield access
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    async def fields(self, match: str) -> Sequence[pb.KnowableField]:
        """The fields about which `first_sight` can be asked."""
        request = pb.ListKnowableFieldsRequest(name=ids.match_name(match))
        return (await self._calls.send(self._stub.ListKnowableFields, request)).fields

    async def first_sight(
        self,
        match: str,
        fields: Iterable[str],
        value: str,
        *,
        seat: int | None = None,
        where: Iterable[str] = (),
        reason: str = "",
    ) -> pb.FindFirstSightResponse:
        """The first version at which this seat, or a spectator, was sent the value in one of these fields.

        Fields are paths as `fields` gives them, or tails of such; `where` are conditions like `seat=0` on what is
        around the value.
        """
        request = pb.FindFirstSightRequest(
            name=ids.match_name(match), fields=fields, value=value, seat=seat, where=where, reason=reason
        )
        return await self._calls.send(self._stub.FindFirstSight, request)

    async def sights(self, match: str, version: int, *, reason: str = "") -> Sequence[pb.Sight]:
        """The values in the events of an entry, and to whom they were sent."""
        request = pb.ListSightsRequest(name=ids.match_name(match), version=version, reason=reason)
        return (await self._calls.send(self._stub.ListSights, request)).sights
