"""What is done with accesses by the way: kept when others tell of them, and forgotten when they are old."""
# ruff: noqa: N802 - gRPC names the methods

import asyncio
from typing import Any, Final

import grpc
import structlog
from argosy.internal.v1 import access_service_pb2 as pb
from argosy.internal.v1 import access_service_pb2_grpc

from services.kit.clock import now_ms
from services.kit.errors import Refused, invalid
from services.kit.log import ids
from services.kit.waiting import is_set_within
from services.replay.accesses.store import Accesses

_HOUR_S, _RETRY_S, _DAY_MS = 3600.0, 60.0, 86_400_000
_LONGEST: Final = {"key": 32, "method": 40, "reason": 200}
_log = structlog.get_logger()


class AccessService(access_service_pb2_grpc.AccessServiceServicer):
    """Keeps what gateways tell of."""

    def __init__(self, stored: Accesses) -> None:
        self._stored = stored

    async def NoteAccesses(
        self, request: pb.NoteAccessesRequest, _: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.NoteAccessesResponse:
        """Puts accesses on disk."""
        for access in request.accesses:
            if len(access.id) != ids.SIZE or len(access.player) != ids.SIZE or len(access.match) not in (0, ids.SIZE):
                raise invalid("accesses", f"ids have {ids.SIZE} bytes")
            if any(len(getattr(access, name)) > most for name, most in _LONGEST.items()):
                raise invalid("accesses", "a text is too long")
        await self._stored.write(request.accesses, max(0, request.lost))
        return pb.NoteAccessesResponse()


class Forgetting:
    """Deletes accesses when `days` have passed since they were last seen. Several processes may do it at once."""

    def __init__(self, stored: Accesses, days: int) -> None:
        self._stored, self._days = stored, days

    async def run(self, draining: asyncio.Event) -> None:
        """A task of the process: once an hour until it drains."""
        while not draining.is_set():
            pause = _HOUR_S
            try:
                if count := await self._stored.forget(now_ms() - self._days * _DAY_MS):
                    _log.info("accesses_forgotten", count=count)
            except Refused as refused:
                _log.warning("accesses_not_forgotten", code=refused.name)
                pause = _RETRY_S
            await is_set_within(draining, pause)
