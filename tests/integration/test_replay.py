"""Library, archive and replays, through real processes by the public API."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.v1 import replay_service_pb2 as pb
from argosy.v1 import replay_service_pb2_grpc

from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1, keeping={"ARGOSY_REPLAY_KEEP_S": "0"}) as running:
        yield running


async def test_a_match_is_listed_at_once_and_read_again_as_it_was_received(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="A") as a, Client.connect(platform.address, guest="B") as b:
        stub = replay_service_pb2_grpc.ReplayServiceStub(a._links.first)
        signed = (("authorization", f"Bearer {await a._calls.bearer()}"),)
        name = await seated_match([a, b])
        listed = await stub.ListMatches(pb.ListMatchesRequest(player="players/me"), metadata=signed)
        assert [(m.name, [s.display_name for s in m.seats]) for m in listed.matches] == [(name, ["A", "B"])]
        live, _ = await play_all([a, b], name)
        replays = await stub.ListReplays(pb.ListReplaysRequest(player="players/me"), metadata=signed)
        assert [m.name for m in replays.matches] == [name]
        again = [item.entry async for item in stub.ReadReplay(pb.ReadReplayRequest(name=name), metadata=signed)]
        assert [e.SerializeToString() for e in again] == [u.entry.SerializeToString() for u in live if u.entry]
