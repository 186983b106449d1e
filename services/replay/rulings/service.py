"""RulingService, behind a gateway, which says who calls (gateway/forward.py)."""
# ruff: noqa: N802 - gRPC names the methods

from typing import Any, Final

import grpc
from argosy.v1 import ruling_service_pb2 as pb
from argosy.v1 import ruling_service_pb2_grpc

from services.kit.clock import now_ms
from services.kit.errors import Reason, Refused, invalid
from services.kit.fields import page_size
from services.kit.names import match_id
from services.match.viewers import Viewer
from services.replay.archive import Archive
from services.replay.callers import Caller, caller_of
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.refusals import refusing
from services.replay.rulings import files, index
from services.replay.rulings.deciding import Wish, check, made, wish_of
from services.replay.rulings.files import Recorded
from services.replay.shows import viewer_for
from services.replay.summary import Summary
from services.replay.transparency.proving import Proofs

Context = grpc.aio.ServicerContext[Any, Any]
MOST: Final = 100
"""Rulings on one match."""
_DEFAULT_PAGE, _MOST_PAGE = 50, 200
_AWAY: Final = "the archive of rulings cannot be reached"


class RulingService(ruling_service_pb2_grpc.RulingServiceServicer):
    """Decides, keeps and lists rulings."""

    def __init__(self, library: Library, histories: Histories, proofs: Proofs) -> None:
        self._library, self._histories, self._proofs = library, histories, proofs

    @property
    def _archive(self) -> Archive:
        return self._histories.archive

    async def RuleMatch(self, request: pb.RuleMatchRequest, context: Context) -> pb.RuleMatchResponse:
        """Rules on a match: kept first, then answered."""
        caller = caller_of(context)
        _require_ruler(caller)
        wish = wish_of(request, caller.player)
        with refusing(_AWAY):
            recorded = await self._first_answer(wish) or await self._ruled(wish)
            await index.store(self._library.database, [recorded])
        (proven,) = await self._proofs.proven([recorded.ruling])
        return pb.RuleMatchResponse(ruling=proven)

    async def ListRulings(self, request: pb.ListRulingsRequest, context: Context) -> pb.ListRulingsResponse:
        """The rulings on a match, a page of them."""
        caller, match = caller_of(context), match_id(request.name)
        about, _ = await self._standing(match)
        viewer = viewer_for(about, caller, None)
        size, start = _page(request)
        with refusing(_AWAY):
            kept = await files.on(self._archive, match)
        found = [recorded.ruling for recorded in kept if _may_have(recorded, viewer, about)]
        page, rest = found[start : start + size], found[start + size :]
        proven = await self._proofs.proven(page)
        return pb.ListRulingsResponse(rulings=proven, next_page_token=str(start + size) if rest else "")

    async def _first_answer(self, wish: Wish) -> Recorded | None:
        """The ruling that this request became before. Refuses REQUEST_ID_REUSED."""
        return _same(await files.find(self._archive, wish.match, wish.stored_id), wish)

    async def _ruled(self, wish: Wish) -> Recorded:
        about, is_frozen = await self._standing(wish.match)
        check(wish, about, is_frozen=is_frozen)
        if len(await files.on(self._archive, wish.match)) >= MOST:
            text = f"there are {MOST} rulings on the match already"
            raise Refused(Reason.ERROR_REASON_TOO_LARGE, text, match=f"matches/{about.text}", limit="rulings")
        kept = await files.write(self._archive, wish.match, made(wish, about, self._proofs.receipt_key))
        return _same(kept, wish) or kept

    async def _standing(self, match: bytes) -> tuple[Summary, bool]:
        """The match as its history says, and whether it is frozen.

        One whose history does not fit together is as the library last knew it.
        """
        try:
            about = (await self._histories.story(match)).summary
        except Refused as refused:
            if refused.reason != Reason.ERROR_REASON_MATCH_FROZEN:
                raise
            known = (await self._library.find([match])).get(match)
            if known is None or not known.version:
                raise
            return known, True
        with refusing(_AWAY):
            return about, not about.is_over and (await self._histories.log.load(match)).is_frozen


def _may_have(recorded: Recorded, viewer: Viewer, about: Summary) -> bool:
    """Whether a ruling is on an entry that the viewer may have by now: it would tell a late spectator how far it is."""
    if not viewer.is_delayed:
        return True
    ruling = files.ruling_of(recorded)
    is_old = now_ms() >= ruling.rule_time_ms + viewer.delay_s * 1000
    return is_old and ruling.head.version <= about.version - viewer.delay_versions


def _same(recorded: Recorded | None, wish: Wish) -> Recorded | None:
    """The ruling, if there is one, which must be of the same request."""
    if recorded is not None and recorded.request_digest != wish.digest:
        text = "this request id was used for another request"
        raise Refused(Reason.ERROR_REASON_REQUEST_ID_REUSED, text)
    return recorded


def _require_ruler(caller: Caller) -> None:
    if not caller.scopes & {"host", "admin"}:
        raise Refused(Reason.ERROR_REASON_SCOPE_MISSING, "needs scope host or admin", scope="host or admin")


def _page(request: pb.ListRulingsRequest) -> tuple[int, int]:
    """Size and start of the page."""
    token = request.page_token
    if token and not (token.isascii() and token.isdecimal() and len(token) <= len(str(MOST))):
        raise invalid("page_token", "is none that was given out")
    return page_size(request.page_size, _DEFAULT_PAGE, _MOST_PAGE), int(token or 0)
