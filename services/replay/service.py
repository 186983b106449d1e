"""ReplayService, behind a gateway, which says who calls (gateway/forward.py)."""
# ruff: noqa: N802 - gRPC names the methods

from collections.abc import AsyncIterator
from typing import Any

import grpc
from argosy.internal.v1 import archive_service_pb2 as archive_pb
from argosy.internal.v1 import archive_service_pb2_grpc
from argosy.v1 import replay_service_pb2 as pb
from argosy.v1 import replay_service_pb2_grpc

from services.kit.errors import Reason, Refused, invalid
from services.kit.log import ids
from services.kit.log.entries import Unavailable
from services.kit.names import match_id
from services.match.games import GameEntry
from services.match.rules import RulesDirectory
from services.match.viewers import Viewer
from services.replay import pages, shows
from services.replay.archive import DamagedFile
from services.replay.callers import Caller, caller_of
from services.replay.exporting import export_of
from services.replay.freshness import Freshness
from services.replay.histories import Histories, Story
from services.replay.library import Library
from services.replay.rulings import files
from services.replay.shows import Show, may_open, require_open, show, viewer_for
from services.replay.summary import Summary
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.proving import Proofs

Context = grpc.aio.ServicerContext[Any, Any]
_PIECE = 256 * 1024
_RAW_AT_ONCE = 64


class ReplayService(replay_service_pb2_grpc.ReplayServiceServicer):
    """The public calls."""

    def __init__(
        self,
        library: Library,
        histories: Histories,
        freshness: Freshness,
        directory: RulesDirectory,
        proofs: Proofs,
    ) -> None:
        self._library, self._histories, self._freshness = library, histories, freshness
        self._directory, self._proofs = directory, proofs

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Matches that the caller may see."""
        caller, behind = caller_of(context), await self._behind()
        page = await pages.list_matches(self._library, request, caller)
        matches = [self._shown(summary) for summary in page.summaries]
        return pb.ListMatchesResponse(matches=matches, next_page_token=page.next_token, behind=behind)

    async def ListReplays(self, request: pb.ListReplaysRequest, context: Context) -> pb.ListReplaysResponse:
        """Ended matches that the caller may see."""
        caller, behind = caller_of(context), await self._behind()
        page = await pages.list_replays(self._library, request, caller)
        matches = [self._shown(summary) for summary in page.summaries]
        return pb.ListReplaysResponse(matches=matches, next_page_token=page.next_token, behind=behind)

    async def ReadReplay(self, request: pb.ReadReplayRequest, context: Context) -> AsyncIterator[pb.ReadReplayResponse]:
        """A match's entries as a viewer received them, or opened."""
        caller = caller_of(context)
        if request.after_version < 0:
            raise invalid("after_version", "must not be negative")
        seen = await self._show(request.name, caller, _seat(request))
        if request.opened:
            require_open(seen.story, caller)
            for opened in seen.opened(request.after_version):
                yield pb.ReadReplayResponse(opened=opened)
            return
        for entry in seen.seen(request.after_version):
            yield pb.ReadReplayResponse(entry=entry)

    async def GetReplayPosition(
        self, request: pb.GetReplayPositionRequest, context: Context
    ) -> pb.GetReplayPositionResponse:
        """The position after one entry."""
        caller = caller_of(context)
        if request.opened:
            return await self._opened_position(request, caller)
        seen = await self._show(request.name, caller, _seat(request))
        return await shows.position_at(seen, self._game(seen.story.summary), _version(request), seen.viewer.opens)

    async def ExportReplay(
        self, request: pb.ExportReplayRequest, context: Context
    ) -> AsyncIterator[pb.ExportReplayResponse]:
        """A match as one file."""
        caller = caller_of(context)
        seen = await self._show(request.name, caller, _seat(request))
        game, is_open = self._game(seen.story.summary), may_open(seen.story, caller)
        export = await export_of(seen, game, self._proofs, is_open=is_open)
        data = export.SerializeToString(deterministic=True)
        for at in range(0, len(data), _PIECE):
            yield pb.ExportReplayResponse(piece=data[at : at + _PIECE])

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
            seen = await self._show(request.name, caller, None)
            return await self._proofs.answer(seen.story)
        return pb.GetInclusionProofResponse(proof=await self._proofs.inclusion_of(request.leaf))

    async def GetConsistencyProof(
        self, request: pb.GetConsistencyProofRequest, context: Context
    ) -> pb.GetConsistencyProofResponse:
        """That the log only grew."""
        caller_of(context)
        return await self._proofs.consistency(request)

    async def _opened_position(
        self, request: pb.GetReplayPositionRequest, caller: Caller
    ) -> pb.GetReplayPositionResponse:
        """The position as another seat sees it, or with everything shown. Such a look at a live match is kept."""
        story = await self._histories.story(match_id(request.name))
        seat, summary = _seat(request), story.summary
        viewer_for(summary, caller, None)
        if not may_open(story, caller):
            await self._note_look(request, caller, story)
        everything = frozenset(range(summary.seats or len(summary.held)))
        if seat is not None and seat not in everything:
            raise invalid("seat", f"is from 0 to {len(everything) - 1}")
        opens = everything if seat is None else frozenset((seat,))
        seen = show(story, Viewer(tuple(sorted(opens)), seat))
        return await shows.position_at(seen, self._game(summary), _version(request), opens)

    async def _note_look(self, request: pb.GetReplayPositionRequest, caller: Caller, story: Story) -> None:
        """Refuses who may not look; keeps who looked at what, and why, before anything is shown."""
        if not caller.is_host:
            require_open(story, caller)
        if not 1 <= len(request.reason.strip()) <= 200:
            text = "say in 1 to 200 characters why you look"
            raise Refused(Reason.ERROR_REASON_REASON_MISSING, text, match=request.name)
        version = _version(request) or len(story.entries)
        await self._library.note_look(caller.player, story.summary.match, version, _seat(request), request.reason)

    async def _show(self, name: str, caller: Caller, seat: int | None) -> Show:
        story = await self._histories.story(match_id(name))
        return show(story, viewer_for(story.summary, caller, seat))

    async def _behind(self) -> int:
        try:
            return await self._freshness.catch_up()
        except Unavailable:
            text = "nobody can say how the log stands"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None

    def _game(self, summary: Summary) -> GameEntry:
        return self._directory.entry(summary.game, summary.rules_version)

    def _shown(self, summary: Summary) -> pb.MatchSummary:
        try:
            settings_type = self._game(summary).description.settings_type
        except Refused:  # a game that is away, or no longer here: its matches stay in the lists
            settings_type = ""
        return pages.shown(summary, settings_type)


class ArchiveService(archive_service_pb2_grpc.ArchiveServiceServicer):
    """Histories for the platform's own processes."""

    def __init__(self, library: Library, histories: Histories, keys: KnownKeys) -> None:
        self._library, self._histories, self._keys = library, histories, keys

    async def ReadHistory(
        self, request: archive_pb.ReadHistoryRequest, _: Context
    ) -> AsyncIterator[archive_pb.ReadHistoryResponse]:
        """A history that has left the log."""
        if len(request.match) != ids.SIZE:
            raise invalid("match", f"has {ids.SIZE} bytes")
        known = (await self._library.find([request.match])).get(request.match)
        if known is None or not known.is_archived:
            return
        try:
            entries = await self._histories.archive.read(request.match) or []
        except (Unavailable, DamagedFile):
            text = "the archive cannot be read"
            raise Refused(
                Reason.ERROR_REASON_ARCHIVE_UNAVAILABLE, text, retry_s=1.0, match=f"matches/{known.text}"
            ) from None
        for at in range(0, len(entries), _RAW_AT_ONCE):
            raw = [archive_pb.RawEntry(h=e.head, e=e.body) for e in entries[at : at + _RAW_AT_ONCE]]
            yield archive_pb.ReadHistoryResponse(entries=raw)

    async def GetDisclosure(
        self, request: archive_pb.GetDisclosureRequest, _: Context
    ) -> archive_pb.GetDisclosureResponse:
        """Whether a host has disclosed a match."""
        if len(request.match) != ids.SIZE:
            raise invalid("match", f"has {ids.SIZE} bytes")
        return archive_pb.GetDisclosureResponse(
            disclosed=await files.is_disclosed(self._histories.archive, request.match)
        )

    async def RecordKeys(self, request: archive_pb.RecordKeysRequest, _: Context) -> archive_pb.RecordKeysResponse:
        """Keeps the keys that a gateway tells."""
        await self._keys.record(request.keys)
        return archive_pb.RecordKeysResponse()


def _seat(request: pb.ReadReplayRequest | pb.GetReplayPositionRequest | pb.ExportReplayRequest) -> int | None:
    return request.seat if request.HasField("seat") else None


def _version(request: pb.GetReplayPositionRequest) -> int | None:
    return request.version if request.HasField("version") else None
