"""Calls passed on to a service behind, which answers with what it was told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from argosy.v1 import matchmaking_service_pb2 as pb
from google.rpc import error_details_pb2, status_pb2

from gateway.forward import Forwarding
from gateway.tests.edge_server import Served, bearer, reason_of, serving_edge
from services.kit.errors import Reason, Refused
from services.kit.host import INTERNAL
from services.kit.interceptor import CatchAll

SERVICE = pb.DESCRIPTOR.services_by_name["MatchmakingService"]
PATH = f"/{SERVICE.full_name}/"
LARGE = b"x" * 300_000


def _told(context: Any) -> bytes:
    """What stands in the metadata that ours alone may write, and the deadline."""
    given = {k: v for k, v in context.invocation_metadata() if k.startswith("argosy-")}
    return repr((given, round(context.time_remaining() or -1))).encode()


async def _get(request: bytes, context: Any) -> bytes:
    if request == b"refuse":
        raise Refused(Reason.ERROR_REASON_TICKET_MATCHED, "go there", retry_s=2.5, match="m")
    if request == b"break":
        raise ValueError("a hand: 7 of moons")
    return LARGE if request == b"large" else _told(context)


async def _watch(request: bytes, context: Any) -> AsyncIterator[bytes]:
    yield _told(context)
    if request == b"refuse":
        raise Refused(Reason.ERROR_REASON_TICKET_EXISTS, "it is there")
    if request == b"wait":
        await asyncio.Event().wait()
    yield b"last"


@asynccontextmanager
async def _behind(address: str = "127.0.0.1:0") -> AsyncIterator[str]:
    """The service behind, as a process of ours serves one."""
    server = grpc.aio.server(interceptors=[CatchAll()], options=INTERNAL.options())
    handlers: Any = {
        "GetTicket": grpc.unary_unary_rpc_method_handler(_get),
        "WatchTicket": grpc.unary_stream_rpc_method_handler(_watch),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE.full_name, handlers),))
    port = server.add_insecure_port(address)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def _forwarded(data: Path, address: str, clock: _Clock | None = None) -> AsyncIterator[tuple[Served, Forwarding]]:
    forwarding = Forwarding(SERVICE, address, clock or _Clock())
    async with serving_edge(data, register=(forwarding.register,)) as served:
        yield served, forwarding
    await forwarding.close()


def _get_call(served: Served) -> Any:
    return served.channel.unary_unary(f"{PATH}GetTicket")


def _watch_call(served: Served) -> Any:
    return served.channel.unary_stream(f"{PATH}WatchTicket")


async def test_the_service_behind_knows_the_caller_and_only_by_us(tmp_path: Path) -> None:
    async with _behind() as address, _forwarded(tmp_path, address) as (served, _):
        token = (await served.guest()).token.token
        player = (await served.edge.tokens.identify(token)).player
        forged = (("argosy-player-bin", b"x" * 16), ("argosy-scopes", "admin"), ("argosy-key", "k"))
        told = await _get_call(served)(b"", metadata=bearer(token) + forged, timeout=29)
        given, left_s = eval(told)
        assert given == {"argosy-player-bin": player, "argosy-scopes": "play"}
        assert left_s <= 29
        key = await served.key("host", "play")
        identity = await served.edge.tokens.identify(key)
        told = await _get_call(served)(b"", metadata=bearer(key), timeout=500)
        given, left_s = eval(told)
        assert given == {
            "argosy-player-bin": identity.player,
            "argosy-scopes": "host play",
            "argosy-key": identity.key,
        }
        assert left_s <= 60
        assert await _get_call(served)(b"large", metadata=bearer(key), timeout=60) == LARGE


async def test_streams_are_passed_on_to_their_end(tmp_path: Path) -> None:
    async with _behind() as address, _forwarded(tmp_path, address) as (served, _):
        me = bearer((await served.guest()).token.token)
        parts = [part async for part in _watch_call(served)(b"", metadata=me, timeout=60)]
        assert len(parts) == 2
        assert parts[1] == b"last"


async def test_refusals_come_through_with_their_details(tmp_path: Path) -> None:
    async with _behind() as address, _forwarded(tmp_path, address) as (served, _):
        me = bearer((await served.guest()).token.token)
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await _get_call(served)(b"refuse", metadata=me, timeout=60)
        assert reason_of(failure.value) == "TICKET_MATCHED"
        assert failure.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert _retry_s(failure.value) == 2.5
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            [part async for part in _watch_call(served)(b"refuse", metadata=me, timeout=60)]
        assert reason_of(failure.value) == "TICKET_EXISTS"


async def test_what_breaks_behind_tells_an_error_id_only(tmp_path: Path) -> None:
    async with _behind() as address, _forwarded(tmp_path, address) as (served, _):
        me = bearer((await served.guest()).token.token)
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await _get_call(served)(b"break", metadata=me, timeout=60)
        assert reason_of(failure.value) == "INTERNAL"
        assert "moons" not in repr(failure.value)


async def test_a_method_that_is_not_served_behind_is_internal(tmp_path: Path) -> None:
    async with _behind() as address, _forwarded(tmp_path, address) as (served, _):
        me = bearer((await served.guest()).token.token)
        call: Any = served.channel.unary_unary(f"{PATH}CancelTicket")
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await call(b"", metadata=me, timeout=60)
        assert reason_of(failure.value) == "INTERNAL"


async def test_a_service_that_is_away_is_told_with_a_time_to_come_back(tmp_path: Path) -> None:
    async with _behind() as address:
        pass
    async with _forwarded(tmp_path, address) as (served, _):
        me = bearer((await served.guest()).token.token)
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await _get_call(served)(b"", metadata=me, timeout=60)
        assert reason_of(failure.value) == "SERVICE_UNAVAILABLE"
        assert _retry_s(failure.value) == 1.0
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            [part async for part in _watch_call(served)(b"", metadata=me, timeout=60)]
        assert reason_of(failure.value) == "SERVICE_UNAVAILABLE"
        async with _behind(address):
            async with asyncio.timeout(60):
                while await _fails(served, me):  # noqa: ASYNC110 - a service tells nobody that it is back
                    await asyncio.sleep(0.05)


async def test_a_stream_ends_when_the_gateway_drains(tmp_path: Path) -> None:
    draining = asyncio.Event()
    async with _behind() as address, _forwarded(tmp_path, address) as (served, forwarding):
        me = bearer((await served.guest()).token.token)
        async with asyncio.TaskGroup() as group:
            group.create_task(forwarding.keep_draining(draining))
            call = _watch_call(served)(b"wait", metadata=me, timeout=60)
            await call.read()
            draining.set()
            with pytest.raises(grpc.aio.AioRpcError) as failure:
                await call.read()
        assert reason_of(failure.value) == "DRAINING"


async def test_a_stream_ends_with_its_token(tmp_path: Path) -> None:
    clock = _Clock()
    async with _behind() as address, _forwarded(tmp_path, address, clock) as (served, _):
        guest = await served.guest()
        clock.now = guest.token.expire_time.seconds - 0.3
        call = _watch_call(served)(b"wait", metadata=bearer(guest.token.token), timeout=60)
        with pytest.raises(grpc.aio.AioRpcError) as failure:  # before its first item where the machine is slow
            _ = [part async for part in call]
        assert reason_of(failure.value) == "TOKEN_EXPIRED"


async def _fails(served: Served, metadata: tuple[tuple[str, str], ...]) -> bool:
    try:
        await _get_call(served)(b"", metadata=metadata, timeout=60)
    except grpc.aio.AioRpcError:
        return True
    return False


def _retry_s(error: grpc.aio.AioRpcError) -> float:
    given = dict(error.trailing_metadata() or ())["grpc-status-details-bin"]
    assert isinstance(given, bytes)
    retry = error_details_pb2.RetryInfo()
    assert status_pb2.Status.FromString(given).details[1].Unpack(retry)
    seconds: float = retry.retry_delay.ToTimedelta().total_seconds()
    return seconds
