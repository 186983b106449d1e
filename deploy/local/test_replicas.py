"""Several gateways at one address and several processes for a game: one of each is killed while matches go on."""

import asyncio
import os
import random
import signal
import socket
import struct
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from argosy.client import Client, Patience
from argosy.client.errors import ArgosyError
from argosy.v1.match_service_pb2 import SeatRequest

from deploy.local import places, processes
from deploy.local.processes import Platform
from deploy.local.supervisor import running
from services.kit.startup import CannotStart

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="gateways share a port on Linux only")
PATIENT = Patience(total=60.0)


def listener(address: str) -> int:
    """The process that listens at a socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address.removeprefix("unix:"))
        kept = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", kept)[0])


async def play(client: Client, after: asyncio.Semaphore, seed: int) -> list[int]:
    """A match against a hosted bot, to its end; the versions received. Each one releases the semaphore."""
    chance, versions = random.Random(seed), list[int]()
    match = await client.create("sirenen", seats=[SeatRequest(seat=0), SeatRequest(seat=1, bot_policy="random")])
    async with client.follow(match.name, seat=0, actions=True) as table:
        async for update in table:
            versions.append(update.version)
            after.release()
            if update.actions:
                try:
                    await table.play(chance.choice(update.actions).action, at=update, patience=PATIENT)
                except ArgosyError as error:
                    if error.name not in ("STALE_VERSION", "MATCH_ENDED"):
                        raise
    return versions


async def test_a_killed_gateway_and_a_killed_replica_lose_nothing(tmp_path: Path) -> None:
    platform = Platform(tmp_path, "127.0.0.1:0", games=("sirenen",), maxmemory=2**28, gateways=2, rules_replicas=2)
    said, entries = list[str](), asyncio.Semaphore(0)
    async with running(platform, say=said.append) as addresses, AsyncExitStack() as stack:
        assert addresses
        assert len({listener(address) for address in addresses.inside}) == 2
        clients = [
            await stack.enter_async_context(Client.connect(addresses.gateway, guest=f"P{n}", patience=PATIENT))
            for n in range(4)
        ]
        async with asyncio.timeout(100), asyncio.TaskGroup() as group:
            matches = [group.create_task(play(client, entries, n)) for n, client in enumerate(clients)]
            for _ in range(12):
                await entries.acquire()
            os.kill(listener(addresses.inside[0]), signal.SIGKILL)
            for _ in range(12):
                await entries.acquire()
            os.kill(listener(addresses.rules["sirenen"].split(",")[0]), signal.SIGKILL)
        for match in matches:
            assert match.result() == list(range(1, len(match.result()) + 1))
    assert any(sentence.startswith("gateway-1 ended (signal SIGKILL)") for sentence in said)
    assert any(sentence.startswith("rules-sirenen-1 ended (signal SIGKILL)") for sentence in said)


def test_a_shared_address_is_no_second_platform_s() -> None:
    with places.held_address("127.0.0.1:0", 2) as address:
        for gateways in (1, 2):
            with pytest.raises(CannotStart, match="port is taken"), places.held_address(address, gateways):
                pass
    with places.held_address(address, 1) as again:
        assert again == address


def test_a_short_folder_is_the_same_again_and_nobody_else_s(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = places.short_folder(tmp_path / "one")
    request.addfinalizer(folder.rmdir)
    assert places.short_folder(tmp_path / "one") == folder
    folder.chmod(0o755)
    with pytest.raises(CannotStart, match="belongs to somebody else"):
        places.short_folder(tmp_path / "one")


def test_several_sockets_are_one_target() -> None:
    assert processes.target(["unix:/a.sock", "unix:/b.sock"]) == "unix:/a.sock,/b.sock"
