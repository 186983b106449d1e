"""Legal actions, page by page, of one version of a match."""

import re
from typing import Final

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import match_service_pb2

from gateway.matches import shapes
from gateway.matches.requests import action_of
from services.kit.errors import Reason, Refused, invalid
from services.match import deciding
from services.match.drafts import facts
from services.match.table import Table

_DEADLINE_S = 10.0
_VERSION: Final = re.compile("[0-9]{1,10}")


async def list_actions(
    table: Table, seat: int, request: match_service_pb2.ListActionsRequest
) -> match_service_pb2.ListActionsResponse:
    """A page of the seat's legal actions. A page token carries the version that it belongs to."""
    head, page = shapes.head_of(table), _page(table, request.page_token)
    if request.page_size < 0:
        raise invalid("page_size", "must not be negative")
    asked = rules_v1.ListActionsRequest(
        basis=table.basis(), seat=seat, page_size=request.page_size, page_token=page, language=request.language
    )
    if request.HasField("partial"):
        asked.partial = action_of(table.game, request.partial, request.name)
    try:
        found = await table.game.stub.ListActions(asked, timeout=_DEADLINE_S)
    except grpc.aio.AioRpcError as error:
        if error.code() == grpc.StatusCode.INVALID_ARGUMENT:
            raise invalid("partial or page_token", "cannot be read") from None
        raise deciding.unavailable(table.game, error) from None
    token = f"{head.version}.{found.next_page_token}" if found.next_page_token else ""
    actions = shapes.legal_actions(table, found.actions)
    return match_service_pb2.ListActionsResponse(actions=actions, next_page_token=token, head=head)


def _page(table: Table, token: str) -> str:
    if not token:
        return ""
    version, _, page = token.partition(".")
    if not _VERSION.fullmatch(version) or not page:
        raise invalid("page_token", "is none that was given out")
    if int(version) != table.version:
        text = "the match went on: list again from the first page"
        raise Refused(Reason.ERROR_REASON_STALE_VERSION, text, **facts(table), digest=table.digest.hex())
    return page
