import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from argosy.client import ArgosyError
from argosy.client.silence import heard
from argosy.v1 import match_service_pb2, match_service_pb2_grpc

from .conftest import MATCH, History, Server


async def watch(server: Server, seconds: float, pause: float) -> list[int]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        call = match_service_pb2_grpc.MatchServiceStub(channel).WatchMatch(
            match_service_pb2.WatchMatchRequest(name=MATCH)
        )
        versions = []
        async for response in heard(call, seconds):
            versions.append(response.update.entry.version)
            await asyncio.sleep(pause)
        return versions


async def test_a_slow_reader_hears_everything(server: Server, history: History) -> None:
    server.watch_entries = [history.entries[:2]]
    assert await watch(server, 2, 2.2) == [1, 2]  # its own pauses are no silence


async def test_a_failure_comes_as_the_client_knows_it(server: Server, history: History) -> None:
    server.watch_entries = [history.entries, []]
    with pytest.raises(ArgosyError) as failed:
        await watch(server, 5, 0)
    assert failed.value.status is grpc.StatusCode.UNAVAILABLE


async def test_silence_is_a_passing_failure(silent: str) -> None:
    async with grpc.aio.insecure_channel(silent) as channel:
        waiting: Any = channel.unary_stream("/toy.v1.Toy/Wait")
        with pytest.raises(ArgosyError, match="silent") as failed:
            await anext(heard(waiting(b""), 0.2))
    assert failed.value.is_passing


@pytest.fixture
async def silent() -> AsyncIterator[str]:
    """The address of a server that never says anything."""

    async def wait(request: bytes, context: Any) -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield request

    server = grpc.aio.server()
    handlers: dict[str, Any] = {"Wait": grpc.unary_stream_rpc_method_handler(wait)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("toy.v1.Toy", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)
