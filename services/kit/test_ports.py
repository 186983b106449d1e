"""Servers that listen at one address."""

import asyncio
import sys
from collections import Counter
from typing import Any

import grpc
import pytest

from services.kit.host import PUBLIC
from services.kit.ports import can_share, listen
from services.kit.startup import CannotStart

_OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)


def server(number: int, calls: Counter[int], *, is_shared: bool) -> grpc.aio.Server:
    async def answer(request: bytes, _: Any) -> bytes:
        calls[number] += 1
        return request

    made = grpc.aio.server(options=PUBLIC.options(is_shared=is_shared))
    handlers: dict[str, Any] = {"Echo": grpc.unary_unary_rpc_method_handler(answer)}
    made.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Doors", handlers),))
    return made


async def ask(port: int) -> bytes:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=_OWN_CONNECTION) as channel:
        echo: Any = channel.unary_unary("/test.Doors/Echo")
        answer: bytes = await echo(b"x", timeout=60, wait_for_ready=True)
        return answer


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not deal connections out")
async def test_connections_are_dealt_out_and_all_are_served() -> None:
    calls = Counter[int]()
    servers = [server(number, calls, is_shared=True) for number in range(4)]
    assert can_share("127.0.0.1:0")
    port = listen(servers, "127.0.0.1:0")
    for each in servers:
        await each.start()
    try:
        answers = await asyncio.gather(*(ask(port) for _ in range(64)))
    finally:
        await asyncio.gather(*(each.stop(None) for each in servers))
    assert answers == [b"x"] * 64
    assert sum(calls.values()) == 64
    assert len(calls) > 1


async def test_several_servers_keep_others_from_their_port() -> None:
    calls = Counter[int]()
    servers = [server(number, calls, is_shared=True) for number in range(2)]
    port = listen(servers, "127.0.0.1:0")
    other = server(0, calls, is_shared=True)
    try:
        with pytest.raises(CannotStart, match="in use"):
            listen([other], f"127.0.0.1:{port}")
    finally:
        await asyncio.gather(*(each.stop(None) for each in (*servers, other)))


def test_a_socket_in_the_file_system_is_one_servers() -> None:
    assert not can_share("unix:some.sock")
