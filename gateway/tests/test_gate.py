from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from argosy.v1 import game_service_pb2 as game_pb
from argosy.v1 import session_service_pb2 as pb
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from gateway.authorization import current_caller
from gateway.settings import LimitSettings
from gateway.tests.edge_server import Served, bearer, reason_of, serving_edge

ME = pb.GetPlayerRequest(name="players/me")


async def _outcomes(served: Served, metadata: tuple[tuple[str, str], ...], times: int) -> list[str]:
    outcomes = []
    for _ in range(times):
        try:
            await served.sessions.GetPlayer(ME, metadata=metadata, timeout=60)
        except grpc.aio.AioRpcError as error:
            outcomes.append(reason_of(error))
        else:
            outcomes.append("OK")
    return outcomes


async def test_one_player_is_limited_and_others_are_not(tmp_path: Path) -> None:
    async with serving_edge(tmp_path, limits=LimitSettings(player_rate=0.001, player_burst=3)) as served:
        ada, bob = await served.guest("Ada"), await served.guest("Bob")
        assert await _outcomes(served, bearer(ada.token.token), 5) == ["OK"] * 3 + ["RATE_LIMITED"] * 2
        assert await _outcomes(served, bearer(bob.token.token), 1) == ["OK"]
        host = bearer(await served.key("play"))
        assert await _outcomes(served, host, 5) == ["OK"] * 5


async def test_signing_in_is_limited_by_address_whatever_a_client_says_of_its_own(tmp_path: Path) -> None:
    async with serving_edge(tmp_path, limits=LimitSettings(sign_in_rate=0.001, sign_in_burst=2)) as served:
        outcomes = []
        for number in range(4):
            request = pb.CreateGuestRequest(display_name="Ada", request_id=f"{number:016}")
            forwarded = (("x-forwarded-for", f"192.0.2.{number}"),)
            try:
                await served.sessions.CreateGuest(request, metadata=forwarded, timeout=60)
                outcomes.append("OK")
            except grpc.aio.AioRpcError as error:
                outcomes.append(reason_of(error))
        assert outcomes == ["OK", "OK", "RATE_LIMITED", "RATE_LIMITED"]


async def test_a_trusted_proxy_says_where_a_client_is(tmp_path: Path) -> None:
    limits = LimitSettings(sign_in_rate=0.001, sign_in_burst=1, trusted_proxies=("127.0.0.0/8", "10.1.0.0/16"))
    async with serving_edge(tmp_path, limits=limits) as served:
        said = {  # who is in front of the proxy stands rightmost; all before is the client's own word
            "192.0.2.1": "OK",
            "198.51.100.7, 192.0.2.1": "RATE_LIMITED",
            "192.0.2.1, 192.0.2.2": "OK",
            "192.0.2.9, 192.0.2.2, 10.1.2.3": "RATE_LIMITED",
            "192.0.2.3:4711": "OK",
            "192.0.2.3": "RATE_LIMITED",
        }
        for number, (forwarded, outcome) in enumerate(said.items()):
            request = pb.CreateGuestRequest(display_name="Ada", request_id=f"{number:016}")
            try:
                await served.sessions.CreateGuest(request, metadata=(("x-forwarded-for", forwarded),), timeout=60)
                found = "OK"
            except grpc.aio.AioRpcError as error:
                found = reason_of(error)
            assert found == outcome, forwarded


def _register_health(server: grpc.aio.Server) -> None:
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)


@contextmanager
def _refused(reason: str) -> Iterator[None]:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        yield
    assert reason_of(failure.value) == reason


async def test_streams_are_counted_while_they_last(tmp_path: Path) -> None:
    limits = LimitSettings(streams_at_once=1)
    async with serving_edge(tmp_path, register=(_register_health,), limits=limits) as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest())
        first = await watch.read()
        assert first.status == health_pb2.HealthCheckResponse.SERVING
        with _refused("OVERLOADED"):
            await stub.Watch(health_pb2.HealthCheckRequest()).read()
        watch.cancel()
        while served.edge.allowance.strangers.present:
            await stub.Check(health_pb2.HealthCheckRequest(), timeout=60)
        again = stub.Watch(health_pb2.HealthCheckRequest())
        assert (await again.read()).status == health_pb2.HealthCheckResponse.SERVING
        again.cancel()


async def test_streams_without_credentials_take_no_room_of_the_others(tmp_path: Path) -> None:
    limits = LimitSettings(streams_at_once=20)
    async with serving_edge(tmp_path, register=(_register_health,), limits=limits) as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        watches = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(2)]
        for watch in watches:
            await watch.read()
        with _refused("OVERLOADED"):
            await stub.Watch(health_pb2.HealthCheckRequest()).read()
        assert served.edge.allowance.streams.present == 0
        for watch in watches:
            watch.cancel()


@pytest.mark.parametrize(
    "message",
    [b"\xff\xff\xff", b"\x0a\x05ab", b"\x0a\x02\xc3\x28", b"\x0b" * 5000],
    ids=["no message", "truncated", "not UTF-8", "deep"],
)
async def test_what_is_no_message_is_refused_without_the_parsers_text(tmp_path: Path, message: bytes) -> None:
    async with serving_edge(tmp_path) as served:
        call: Any = served.channel.unary_unary("/argosy.v1.SessionService/CreateGuest")
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await call(message, timeout=60)
        assert reason_of(failure.value) == "INVALID_REQUEST"
        assert failure.value.details() == "message: cannot be parsed"


async def test_what_is_too_large_is_refused_and_the_connection_goes_on(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        call: Any = served.channel.unary_unary("/argosy.v1.SessionService/CreateGuest")
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await call(b"\x0a" + b"x" * 65536, timeout=60)
        assert failure.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.games.ListGames(game_pb.ListGamesRequest(), metadata=bearer("x" * 40_000), timeout=60)
        assert failure.value.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNKNOWN)
        assert (await served.guest()).player.display_name == "Ada"


def _whoami(server: grpc.aio.Server) -> None:
    """Methods of each kind under names the table knows, which answer with their caller."""

    async def answer(_request: Any, _context: Any) -> bytes:
        return repr(current_caller()).encode()

    async def stream(_request: Any, _context: Any) -> AsyncIterator[bytes]:
        yield repr(current_caller()).encode()

    async def both_ways(requests: AsyncIterator[Any], _context: Any) -> AsyncIterator[bytes]:
        await anext(requests)  # ended before the client wrote, the stream could fail there
        yield repr(current_caller()).encode()

    handlers: Any = {
        "GetMatch": grpc.unary_unary_rpc_method_handler(answer),
        "WatchMatch": grpc.unary_stream_rpc_method_handler(stream),
        "Play": grpc.stream_stream_rpc_method_handler(both_ways),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("argosy.v1.MatchService", handlers),))


async def test_handlers_of_every_kind_know_their_caller(tmp_path: Path) -> None:
    async with serving_edge(tmp_path, register=(_whoami,)) as served:
        guest = await served.guest()
        identity = await served.edge.tokens.identify(guest.token.token)
        path, mine = "/argosy.v1.MatchService/", bearer(guest.token.token)
        channel: Any = served.channel
        told = [await channel.unary_unary(f"{path}GetMatch")(b"", metadata=mine, timeout=60)]
        told += [part async for part in channel.unary_stream(f"{path}WatchMatch")(b"", metadata=mine, timeout=60)]
        told += [part async for part in channel.stream_stream(f"{path}Play")(iter([b""]), metadata=mine, timeout=60)]
        assert len(told) == 3
        for caller in told:
            assert repr(identity.player) in caller.decode()
            assert "address='127.0.0.1'" in caller.decode()
            assert f"expires_at={identity.expires_at}" in caller.decode()
