"""What the gateway asks and tells replay beside histories: whether a host has disclosed a match, and public keys."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import structlog
from argosy.internal.v1 import archive_service_pb2 as pb
from argosy.internal.v1 import archive_service_pb2_grpc as pb_grpc
from argosy.v1 import replay_service_pb2

from gateway.accounts.platform_keys import PlatformKeys, PublicKey
from services.kit.channels import open_channel
from services.kit.waiting import is_set_within

if TYPE_CHECKING:
    from argosy.internal.v1.archive_service_pb2_grpc import ArchiveServiceAsyncStub

_ASK_S, _TELL_S = 2.0, 8.0
_AGAIN_S, _RETRY_S = 60.0, 2.0
_log = structlog.get_logger()


class Archivist:
    """Replay, as a gateway reaches it; where there is none, nothing is asked or told."""

    def __init__(self, stub: "ArchiveServiceAsyncStub | None") -> None:
        self._stub = stub

    async def is_disclosed(self, match: bytes) -> bool:
        """Whether a host has disclosed the match; false where nobody can say now."""
        if self._stub is None:
            return False
        try:
            told = await self._stub.GetDisclosure(pb.GetDisclosureRequest(match=match), timeout=_ASK_S)
        except grpc.aio.AioRpcError as error:
            _log.warning("disclosure_not_known", code=error.code().name)
            return False
        return told.disclosed

    async def tell_keys(self, keys: PlatformKeys, draining: asyncio.Event) -> None:
        """A task of the process: tells every public key known here and learns the others, now and each minute.

        The transparency log holds their history; what was told before changes nothing.
        """
        if self._stub is None:
            await draining.wait()
            return
        while not draining.is_set():
            pause = _AGAIN_S
            try:
                await keys.learn()
                known = await self._stub.RecordKeys(_told(keys), timeout=_TELL_S)
                keys.adopt(PublicKey(key.id, key.use, key.key, key.create_time_ms) for key in known.keys)
            except grpc.aio.AioRpcError as error:
                _log.warning("keys_not_told", code=error.code().name)
                pause = _RETRY_S
            await is_set_within(draining, pause)


@asynccontextmanager
async def open_archivist(address: str | None) -> AsyncIterator[Archivist]:
    """Replay at this address; without one nothing is asked or told."""
    if address is None:
        yield Archivist(None)
        return
    async with open_channel(address) as channel:
        yield Archivist(pb_grpc.ArchiveServiceStub(channel))


def _told(keys: PlatformKeys) -> pb.RecordKeysRequest:
    return pb.RecordKeysRequest(
        keys=[
            replay_service_pb2.PlatformKey(id=key.id, use=key.use, key=key.raw, create_time_ms=key.create_ms)
            for key in keys.all_public()
        ]
    )
