"""What scopes open of a match that goes on, or whose history is broken."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.client.ids import raw_id
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb

from services.kit.log import partitions
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests.integration.players import guests, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def clients(platform: Platform) -> AsyncIterator[list[Client]]:
    async with guests(platform) as pair:
        yield pair


async def test_a_host_opens_what_goes_on_without_the_seed(platform: Platform, clients: list[Client]) -> None:
    name = await seated_match(clients[:2])
    async with Client.connect(platform.address, key=platform.key("host")) as host:
        export = pb.Export.FromString(await host.export(name, opened=True, reason="a defect"))
    parts = [entry_pb2.EntryPart.FromString(entry.sealed_parts[-1]) for entry in export.opened]
    assert len(parts) == 2
    assert parts[1].server.draws
    assert not parts[0].server.seed
    await clients[0].resign(name)


async def test_a_broken_history_is_opened_as_far_as_it_is_sound(platform: Platform, clients: list[Client]) -> None:
    ann = clients[0]
    name = await seated_match(clients[:2])
    actor = clients[(await ann.get(name)).status.turn[0]]
    (legal, *_) = await actor.list_actions(name)
    await actor.play(name, legal.action)
    match = raw_id(name)
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        assert await log.servers.of(match[0]).client.xdel(partitions.keys_of(match).history, "0-2") == 1
    with pytest.raises(ArgosyError) as refused:
        await ann.position(name)
    assert refused.value.name == "MATCH_FROZEN"
    async with Client.connect(platform.address, key=platform.key("audit")) as auditor:
        export = pb.Export.FromString(await auditor.export(name, opened=True, reason="it is frozen"))
    assert [entry.version for entry in export.opened] == [1]
