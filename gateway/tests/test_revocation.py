"""A revoked API key ends its own streams, at every gateway, and nobody else's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from argosy.v1 import session_service_pb2 as pb

from gateway.tests.edge_server import Served, bearer, reason_of, serving_edge

STREAM = "/argosy.v1.MatchService/WatchMatch"


async def _endless(_: bytes, __: Any) -> AsyncIterator[bytes]:
    yield b"first"
    await asyncio.Event().wait()


def _register(server: grpc.aio.Server) -> None:
    handlers: dict[str, Any] = {"WatchMatch": grpc.unary_stream_rpc_method_handler(_endless)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("argosy.v1.MatchService", handlers),))


async def _open(served: Served, secret: str) -> Any:
    method: Any = served.channel.unary_stream(STREAM)
    stream = method(b"", metadata=bearer(secret))
    assert await stream.read() == b"first"
    return stream


async def test_streams_of_a_revoked_key_end_at_every_gateway(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(60):
        gateways = [await stack.enter_async_context(serving_edge(tmp_path, register=(_register,))) for _ in range(2)]
        one = gateways[0]
        key, secret = await one.edge.api_keys.create("Bot", ["play"], "x" * 16)
        admin = bearer(await one.key("admin"))
        other = await one.key("play")
        streams = [await _open(served, secret) for served in gateways]
        kept = [await _open(served, other) for served in gateways]
        draining = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for served in gateways:
                group.create_task(served.edge.revocation.watch_over(draining))
            request = pb.RevokeApiKeyRequest(name=key.name, request_id="r" * 16)
            await one.sessions.RevokeApiKey(request, metadata=admin)
            for stream in streams:
                with pytest.raises(grpc.aio.AioRpcError) as ended:
                    await stream.read()
                assert reason_of(ended.value) == "UNAUTHENTICATED"
            for served in gateways:
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await _open(served, secret)
                assert reason_of(refused.value) == "UNAUTHENTICATED"
            draining.set()
        for stream in kept:
            assert not stream.done()
            stream.cancel()


async def test_a_stream_that_its_reader_leaves_is_no_refusal(tmp_path: Path) -> None:
    async with serving_edge(tmp_path, register=(_register,)) as served:
        stream = await _open(served, await served.key("play"))
        stream.cancel()
        async with asyncio.timeout(60):
            while served.edge.allowance.streams.present:  # noqa: ASYNC110 - the server's side of it
                await asyncio.sleep(0.02)
        assert await served.edge.api_keys.revoked_among([]) == set()
