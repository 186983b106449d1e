"""Passes calls on to services behind the gateway, byte by byte, and their answers and refusals back.

The service behind knows who calls from the metadata `argosy-player-bin` (16 bytes), `argosy-scopes` (names with spaces
between) and, with an API key, `argosy-key`; nothing a client sends can take their place. Streams end with TOKEN_EXPIRED
when the caller's token does, and with DRAINING when the gateway goes.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.rpc import status_pb2
from grpc_status import rpc_status

from gateway.authorization import Caller, current_caller
from gateway.gate import Context
from services.kit.channels import open_channel
from services.kit.errors import Reason, Refused

_CALL_S, _LONGEST_CALL_S = 10.0, 60.0
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


class Forwarding:
    """One public service, served at an address behind the gateway. Its methods are unary or stream responses."""

    def __init__(
        self,
        service: ServiceDescriptor,
        address: str,
        clock: Callable[[], float] = time.time,
        finishing: Mapping[str, Callable[[bytes], Awaitable[bytes]]] = MappingProxyType({}),
    ) -> None:
        """`finishing` are what unary responses go through before they are passed on, by the method's name."""
        self._service, self._clock, self._finishing = service, clock, finishing
        self._draining = asyncio.Event()
        self._channel = open_channel(address)

    @property
    def name(self) -> str:
        """The service's full name."""
        return self._service.full_name

    def register(self, server: grpc.aio.Server) -> None:
        """Adds the service to the server."""
        methods = self._service.methods
        handlers = {method.name: self._handler(f"/{self.name}/{method.name}", method) for method in methods}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(self.name, handlers),))

    async def keep_draining(self, draining: asyncio.Event) -> None:
        """A task of the process: ends the streams when it drains."""
        await draining.wait()
        self._draining.set()

    async def close(self) -> None:
        """Closes the channel."""
        await self._channel.close()

    def _handler(self, path: str, method: MethodDescriptor) -> Any:
        if method.client_streaming:
            raise TypeError(f"{path} streams requests; such methods are not passed on")
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._streaming(path))
        return grpc.unary_unary_rpc_method_handler(self._answering(path, self._finishing.get(method.name)))

    def _answering(self, path: str, finish: Callable[[bytes], Awaitable[bytes]] | None) -> Any:
        upstream: Any = self._channel.unary_unary(path)

        async def answer(request: bytes, context: Context) -> bytes:
            left_s = context.time_remaining()
            deadline_s = _CALL_S if left_s is None else min(left_s, _LONGEST_CALL_S)
            try:
                response: bytes = await upstream(request, metadata=_identity(current_caller()), timeout=deadline_s)
            except grpc.aio.AioRpcError as error:
                await self._pass_on(error, context)
                raise
            return response if finish is None else await finish(response)

        return answer

    def _streaming(self, path: str) -> Any:
        upstream: Any = self._channel.unary_stream(path)

        async def stream(request: bytes, context: Context) -> AsyncIterator[bytes]:
            caller = current_caller()
            call = upstream(request, metadata=_identity(caller), timeout=context.time_remaining())
            try:
                while (response := await self._next(call, caller)) is not grpc.aio.EOF:
                    yield response
            except grpc.aio.AioRpcError as error:
                await self._pass_on(error, context)
                raise
            finally:
                call.cancel()

        return stream

    async def _next(self, call: Any, caller: Caller) -> Any:
        """The next response, or EOF. Refuses TOKEN_EXPIRED and DRAINING when they come first."""
        reading, going = asyncio.ensure_future(call.read()), asyncio.ensure_future(self._draining.wait())
        left_s = None if caller.expires_at is None else max(0.0, caller.expires_at - self._clock())
        try:
            done, _ = await asyncio.wait({reading, going}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            going.cancel()
            if not reading.done():
                reading.cancel()
        if reading in done:
            return reading.result()
        if going in done:
            raise Refused(Reason.ERROR_REASON_DRAINING, "this gateway is going away; resume at another")
        raise Refused(Reason.ERROR_REASON_TOKEN_EXPIRED, "the token has expired")

    async def _pass_on(self, error: grpc.aio.AioRpcError, context: Context) -> None:
        """Answers with the refusal of the service behind; returns when the error is none."""
        if (status := _refusal(error)) is not None:
            await context.abort_with_status(rpc_status.to_status(status))
        if error.code() in _AWAY:
            service = self._service.name
            text = f"{service} does not answer"
            raise Refused(Reason.ERROR_REASON_SERVICE_UNAVAILABLE, text, retry_s=1.0, service=service) from error


def _identity(caller: Caller) -> tuple[tuple[str, str | bytes], ...]:
    scopes = " ".join(sorted(caller.scopes))
    key = () if caller.key is None else (("argosy-key", caller.key),)
    return (("argosy-player-bin", caller.player), ("argosy-scopes", scopes), *key)


def _refusal(error: grpc.aio.AioRpcError) -> status_pb2.Status | None:
    """What the service behind said with details; None for a failure of any other kind."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            return status_pb2.Status.FromString(value)
    return None
