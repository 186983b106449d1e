"""Unary calls: with the caller's bearer, again after a passing failure, failures as ArgosyError."""

from typing import TypeVar

import grpc
from argosy.client.credentials import Credentials
from argosy.client.errors import TokenExpired, from_call
from argosy.client.retry import Patience, persist
from argosy.client.transport import Links
from argosy.v1 import game_service_pb2_grpc, match_service_pb2_grpc, session_service_pb2_grpc
from argosy.v1 import session_service_pb2 as session_pb2

Request = TypeVar("Request")
Response = TypeVar("Response")
Method = grpc.aio.UnaryUnaryMultiCallable[Request, Response]


class Calls:
    """Calls as one caller over shared connections."""

    def __init__(self, links: Links, credentials: Credentials, patience: Patience) -> None:
        self.links, self.credentials, self.patience = links, credentials, patience
        self.matches = match_service_pb2_grpc.MatchServiceStub(links.first)
        self.games = game_service_pb2_grpc.GameServiceStub(links.first)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(links.first)

    async def send(
        self, method: Method[Request, Response], request: Request, patience: Patience | None = None
    ) -> Response:
        """The answer. The same request is sent again after a passing failure, and at once with a fresh token."""
        return await persist(lambda: self._signed(method, request), patience or self.patience)

    async def bearer(self) -> str:
        """The bearer of the next call, asked for as patiently as anything. Raises ArgosyError when none can be had."""
        return await persist(lambda: self.credentials.bearer(self), self.patience)

    async def create_token(self, player: str, secret: str) -> session_pb2.Token:
        """A fresh token for a player's secret; needs no bearer. Asked for once: whoever needs it persists."""
        request = session_pb2.CreateTokenRequest(player=player, secret=secret)
        return (await _sent(self.sessions.CreateToken, request, self.patience)).token

    async def _signed(self, method: Method[Request, Response], request: Request) -> Response:
        bearer = await self.credentials.bearer(self)
        try:
            return await self._once(method, request, bearer)
        except TokenExpired:
            if not self.credentials.expire(bearer):
                raise
        return await self._once(method, request, await self.credentials.bearer(self))

    async def _once(self, method: Method[Request, Response], request: Request, bearer: str) -> Response:
        try:
            return await method(request, metadata=authorized(bearer), timeout=self.patience.answer)
        except grpc.aio.AioRpcError as error:
            raise from_call(error) from None


def authorized(bearer: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a call with this bearer."""
    return (("authorization", f"Bearer {bearer}"),)


async def send_unsigned(method: Method[Request, Response], request: Request, patience: Patience) -> Response:
    """The answer of a method that needs no authorization."""
    return await persist(lambda: _sent(method, request, patience), patience)


async def _sent(method: Method[Request, Response], request: Request, patience: Patience) -> Response:
    try:
        return await method(request, timeout=patience.answer)
    except grpc.aio.AioRpcError as error:
        raise from_call(error) from None
