"""ArchiveService: what replay keeps, for the platform's own processes, which may see all of it."""
# ruff: noqa: N802 - gRPC names the methods

from collections.abc import AsyncIterator
from typing import Any

import grpc
from argosy.internal.v1 import archive_service_pb2 as archive_pb
from argosy.internal.v1 import archive_service_pb2_grpc

from services.kit.errors import invalid
from services.kit.log import ids
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.refusals import refusing
from services.replay.rulings import files
from services.replay.transparency.known import KnownKeys

Context = grpc.aio.ServicerContext[Any, Any]
_RAW_AT_ONCE = 64
_AWAY = "the archive cannot be read"


class ArchiveService(archive_service_pb2_grpc.ArchiveServiceServicer):
    """Histories, disclosures and public keys. Refuses ARCHIVE_UNAVAILABLE while they cannot be read."""

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
        with refusing(_AWAY):
            entries = await self._histories.archive.read(request.match) or []
        for at in range(0, len(entries), _RAW_AT_ONCE):
            raw = [archive_pb.RawEntry(h=e.head, e=e.body) for e in entries[at : at + _RAW_AT_ONCE]]
            yield archive_pb.ReadHistoryResponse(entries=raw)

    async def GetDisclosure(
        self, request: archive_pb.GetDisclosureRequest, _: Context
    ) -> archive_pb.GetDisclosureResponse:
        """Whether a host has disclosed a match."""
        if len(request.match) != ids.SIZE:
            raise invalid("match", f"has {ids.SIZE} bytes")
        with refusing(_AWAY):
            disclosed = await files.is_disclosed(self._histories.archive, request.match)
        return archive_pb.GetDisclosureResponse(disclosed=disclosed)

    async def RecordKeys(self, request: archive_pb.RecordKeysRequest, _: Context) -> archive_pb.RecordKeysResponse:
        """Keeps the keys that a gateway tells."""
        with refusing(_AWAY):
            await self._keys.record(request.keys)
            return archive_pb.RecordKeysResponse(keys=await self._keys.refresh())
