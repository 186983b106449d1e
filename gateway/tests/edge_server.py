"""An edge on a real port with a SQLite file of its own, for the tests of what stands behind it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
from argosy.v1 import game_service_pb2 as game_pb
from argosy.v1 import game_service_pb2_grpc as game_grpc
from argosy.v1 import session_service_pb2 as session_pb
from argosy.v1 import session_service_pb2_grpc as session_grpc
from google.rpc import error_details_pb2, status_pb2

from gateway.edge import Edge, open_edge
from gateway.reflection import reflect
from gateway.settings import GatewaySettings, LimitSettings
from services.kit.host import PUBLIC, Register
from services.kit.interceptor import CatchAll
from services.match.rules import DirectorySettings

SERVICES = ("argosy.v1.SessionService", "argosy.v1.GameService", "argosy.v1.MatchService")


@dataclass(frozen=True, slots=True)
class Served:
    """A running edge and a channel to it."""

    edge: Edge
    address: str
    channel: grpc.aio.Channel

    @property
    def sessions(self) -> "session_grpc.SessionServiceAsyncStub":
        """SessionService."""
        return session_grpc.SessionServiceStub(self.channel)

    @property
    def games(self) -> "game_grpc.GameServiceAsyncStub":
        """GameService."""
        return game_grpc.GameServiceStub(self.channel)

    async def guest(self, name: str = "Ada", request_id: str = "a" * 16) -> session_pb.CreateGuestResponse:
        """A new guest."""
        request = session_pb.CreateGuestRequest(display_name=name, request_id=request_id)
        return await self.sessions.CreateGuest(request, timeout=60)

    async def key(self, *scopes: str) -> str:
        """The bearer of a new API key, made as the command line makes it."""
        _, bearer = await self.edge.api_keys.create("Bot", scopes, f"key with {scopes}")
        return bearer


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata that carries a token or an API key."""
    return (("authorization", f"Bearer {token}"),)


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """The reason in the error's ErrorInfo; its code when there is none."""
    status = status_pb2.Status()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            status.ParseFromString(value)
    info = error_details_pb2.ErrorInfo()
    return info.reason if status.details and status.details[0].Unpack(info) else error.code().name


@asynccontextmanager
async def serving_edge(
    data: Path,
    *,
    register: tuple[Register, ...] = (),
    rules: Mapping[str, str] | None = None,
    limits: LimitSettings | None = None,
    **changes: Any,
) -> AsyncIterator[Served]:
    """Serves an edge for the length of the block."""
    games = DirectorySettings(rules=tuple(f"{game}={address}" for game, address in (rules or {}).items()))
    settings = replace(GatewaySettings(data=data, games=games, limits=limits or LimitSettings()), **changes)
    async with open_edge(settings) as edge:
        server = grpc.aio.server(interceptors=[CatchAll(), edge.gate], options=PUBLIC.options())
        for add in (*edge.registrations(game_pb.GetPlatformResponse.DURABILITY_FLUSHED), *register):
            add(server)
        reflect(SERVICES, edge.directory)(server)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        try:
            async with grpc.aio.insecure_channel(address) as channel:
                yield Served(edge, address, channel)
        finally:
            await server.stop(0)
