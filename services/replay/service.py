"""ReplayService, behind a gateway, which says who calls (gateway/forward.py)."""
# ruff: noqa: N802 - gRPC names the methods

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import grpc
from argosy.v1 import access_pb2, knowledge_pb2, record_pb2, replay_service_pb2_grpc
from argosy.v1 import replay_service_pb2 as pb

from services.kit.errors import Reason, Refused, invalid
from services.kit.log.entries import Unavailable
from services.kit.names import match_id
from services.match.accesses import AUDITING
from services.match.games import GameEntry
from services.match.rules import RulesDirectory
from services.replay import entering, pages, shows
from services.replay.accesses.pages import list_accesses
from services.replay.accesses.store import Accesses
from services.replay.callers import Caller, caller_of
from services.replay.exporting import export_of
from services.replay.freshness import Freshness
from services.replay.histories import Histories
from services.replay.knowledge.fields import knowable
from services.replay.knowledge.sights import find_first_sight, sights_of
from services.replay.library import Library
from services.replay.looks import Look, Looks
from services.replay.records import record_of
from services.replay.shows import Opening, has_seed, is_late_for, needs_scope, opening, viewer_for
from services.replay.summary import Summary
from services.replay.transparency.proving import Proofs

Context = grpc.aio.ServicerContext[Any, Any]
_PIECE = 256 * 1024
_QUESTIONS = 2
"""Questions after first sights that are answered at once: one may fold a long match, position by position."""


class ReplayService(replay_service_pb2_grpc.ReplayServiceServicer):
    """The public calls."""

    def __init__(
        self,
        library: Library,
        histories: Histories,
        freshness: Freshness,
        directory: RulesDirectory,
        *,
        proofs: Proofs,
        accesses: Accesses,
        looks: Looks,
    ) -> None:
        self._library, self._histories, self._freshness = library, histories, freshness
        self._directory, self._proofs = directory, proofs
        self._accesses, self._looks = accesses, looks
        self._questions = asyncio.Semaphore(_QUESTIONS)

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Matches that the caller may see."""
        caller, behind = caller_of(context), await self._behind()
        page = await pages.list_matches(self._library, request, caller)
        await self._looks.note_list("ListMatches", caller)
        matches = [self._shown(summary, caller) for summary in page.summaries]
        return pb.ListMatchesResponse(matches=matches, next_page_token=page.next_token, behind=behind)

    async def ListReplays(self, request: pb.ListReplaysRequest, context: Context) -> pb.ListReplaysResponse:
        """Ended matches that the caller may see."""
        caller, behind = caller_of(context), await self._behind()
        page = await pages.list_replays(self._library, request, caller)
        await self._looks.note_list("ListReplays", caller)
        matches = [self._shown(summary, caller) for summary in page.summaries]
        return pb.ListReplaysResponse(matches=matches, next_page_token=page.next_token, behind=behind)

    async def GetRecord(self, request: record_pb2.GetRecordRequest, context: Context) -> record_pb2.GetRecordResponse:
        """What a player has achieved."""
        caller, behind = caller_of(context), await self._behind()
        games = await record_of(self._library, request.player, caller)
        await self._looks.note_list("GetRecord", caller)
        return record_pb2.GetRecordResponse(games=games, behind=behind)

    async def ReadReplay(self, request: pb.ReadReplayRequest, context: Context) -> AsyncIterator[pb.ReadReplayResponse]:
        """A match's entries as a viewer received them, or opened."""
        caller, after = caller_of(context), request.after_version
        if after < 0:
            raise invalid("after_version", "must not be negative")
        seen, look = await entering.look(self._histories, "ReadReplay", request, caller)
        await self._looks.note(look, min(after + 1, len(seen.entries)), len(seen.entries))
        if request.opened:
            for opened in seen.opened(after, with_seed=has_seed(seen.story, caller)):
                yield pb.ReadReplayResponse(opened=opened)
            return
        for entry in seen.seen(after):
            yield pb.ReadReplayResponse(entry=entry)

    async def GetReplayPosition(
        self, request: pb.GetReplayPositionRequest, context: Context
    ) -> pb.GetReplayPositionResponse:
        """The position after one entry, as the caller or somebody else sees it, or with everything shown."""
        caller, version = caller_of(context), _version(request)
        seen, look = await entering.look(self._histories, "GetReplayPosition", request, caller)
        opens = seen.viewer.opens
        if request.opened:
            seen, opens = entering.looking_as(seen.story, entering.seat_of(request))
            look = replace(look, viewer=seen.viewer, opened=entering.seat_of(request) is None)
        shown = len(seen.entries) if version is None else version
        await self._looks.note(look, shown, shown)
        return await shows.position_at(seen, self._game(seen.story.summary), version, opens)

    async def ExportReplay(
        self, request: pb.ExportReplayRequest, context: Context
    ) -> AsyncIterator[pb.ExportReplayResponse]:
        """A match as one file."""
        caller = caller_of(context)
        seen, look = await entering.look(self._histories, "ExportReplay", request, caller)
        story, game = seen.story, self._game(seen.story.summary)
        is_open = request.opened or opening(story, caller) in (Opening.DISCLOSED, Opening.BY_SCOPE)
        if is_open and not request.opened:
            look = replace(look, opened=True, by_scope=opening(story, caller) is Opening.BY_SCOPE)
        await self._looks.note(look, 1, len(seen.entries))
        export = await export_of(seen, game, self._proofs, is_open=is_open, with_seed=has_seed(story, caller))
        data = export.SerializeToString(deterministic=True)
        for at in range(0, len(data), _PIECE):
            yield pb.ExportReplayResponse(piece=data[at : at + _PIECE])

    async def ListAccesses(
        self, request: access_pb2.ListAccessesRequest, context: Context
    ) -> access_pb2.ListAccessesResponse:
        """Who read what."""
        caller = caller_of(context)
        story = await self._histories.story(match_id(request.match)) if request.match else None
        page = await list_accesses(self._accesses, request, caller, story)
        if AUDITING & caller.scopes:
            await self._looks.note_list("ListAccesses", caller, story.summary.match if story else b"")
        return page

    async def ListKnowableFields(
        self, request: knowledge_pb2.ListKnowableFieldsRequest, context: Context
    ) -> knowledge_pb2.ListKnowableFieldsResponse:
        """The fields about which one may ask."""
        story = await self._histories.story(match_id(request.name))
        viewer_for(story.summary, caller_of(context), None)
        return knowledge_pb2.ListKnowableFieldsResponse(fields=knowable(self._game(story.summary)))

    async def FindFirstSight(
        self, request: knowledge_pb2.FindFirstSightRequest, context: Context
    ) -> knowledge_pb2.FindFirstSightResponse:
        """From which version on a seat, or spectators, could know a value."""
        seen, look = await entering.open_up(self._histories, "FindFirstSight", request, caller_of(context))
        await self._looks.note(look, 1, len(seen.story.entries))
        async with self._questions:
            return await find_first_sight(seen.story, self._game(seen.story.summary), request)

    async def ListSights(
        self, request: knowledge_pb2.ListSightsRequest, context: Context
    ) -> knowledge_pb2.ListSightsResponse:
        """The values in an entry, and to whom they were sent."""
        seen, look = await entering.open_up(self._histories, "ListSights", request, caller_of(context))
        await self._looks.note(look, request.version, request.version)
        sights = sights_of(seen.story, self._game(seen.story.summary), request.version)
        return knowledge_pb2.ListSightsResponse(sights=sights)

    async def GetTreeHead(self, _: pb.GetTreeHeadRequest, context: Context) -> pb.GetTreeHeadResponse:
        """The newest signed tree head of the transparency log."""
        caller_of(context)
        return await self._proofs.tree_head()

    async def GetInclusionProof(
        self, request: pb.GetInclusionProofRequest, context: Context
    ) -> pb.GetInclusionProofResponse:
        """That a result, or another leaf, stands in the log."""
        caller = caller_of(context)
        if request.name:
            story = await self._histories.story(match_id(request.name))
            look = Look("GetInclusionProof", caller, story, viewer_for(story.summary, caller, None))
            if story.summary.is_over:
                await self._looks.note(replace(look, by_scope=needs_scope(story, caller, None)), 0, 0)
            return await self._proofs.answer(story)
        return pb.GetInclusionProofResponse(proof=await self._proofs.inclusion_of(request.leaf))

    async def GetConsistencyProof(
        self, request: pb.GetConsistencyProofRequest, context: Context
    ) -> pb.GetConsistencyProofResponse:
        """That the log only grew."""
        caller_of(context)
        return await self._proofs.consistency(request)

    async def _behind(self) -> int:
        try:
            return await self._freshness.catch_up()
        except Unavailable:
            text = "nobody can say how the log stands"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None

    def _game(self, summary: Summary) -> GameEntry:
        return self._directory.entry(summary.game, summary.rules_version)

    def _shown(self, summary: Summary, caller: Caller) -> pb.MatchSummary:
        try:
            settings_type = self._game(summary).description.settings_type
        except Refused:  # a game that is away, or no longer here: its matches stay in the lists
            settings_type = ""
        told = pages.shown(summary, settings_type)
        return pages.without_progress(told) if is_late_for(summary, caller) else told


def _version(request: pb.GetReplayPositionRequest) -> int | None:
    return request.version if request.HasField("version") else None
