"""Histories that have left the store, read from replay: what a late retry is answered from."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
from argosy.internal.v1 import archive_service_pb2 as pb
from argosy.internal.v1 import archive_service_pb2_grpc as pb_grpc

from services.kit.channels import open_channel
from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.log.entries import Entry
from services.match.histories import Archive

if TYPE_CHECKING:
    from argosy.internal.v1.archive_service_pb2_grpc import ArchiveServiceAsyncStub

_DEADLINE_S = 8.0  # long enough for a replay process to be started again


@asynccontextmanager
async def open_archive(address: str | None) -> AsyncIterator[Archive | None]:
    """The archive behind this address; None where there is no replay."""
    if address is None:
        yield None
        return
    async with open_channel(address) as channel:
        stub: ArchiveServiceAsyncStub = pb_grpc.ArchiveServiceStub(channel)

        async def read(match: bytes) -> Sequence[Entry]:
            return await _read(stub, match)

        yield read


async def _read(stub: "ArchiveServiceAsyncStub", match: bytes) -> list[Entry]:
    """The whole history; none of a match that has not left the store. Refuses ARCHIVE_UNAVAILABLE."""
    entries = list[Entry]()
    try:
        async for page in stub.ReadHistory(
            pb.ReadHistoryRequest(match=match), timeout=_DEADLINE_S, wait_for_ready=True
        ):
            entries += [Entry(version, raw.h, raw.e) for version, raw in enumerate(page.entries, len(entries) + 1)]
    except grpc.aio.AioRpcError as error:
        name = f"matches/{ids.to_text(match)}"
        text = "the archive does not answer"
        raise Refused(Reason.ERROR_REASON_ARCHIVE_UNAVAILABLE, text, retry_s=1.0, match=name) from error
    return entries
