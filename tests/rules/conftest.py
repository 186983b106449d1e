import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceStub

from tests.rules_host import Host, run_host
from tests.toy_game.building import MODULE, compile_messages

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub


@pytest.fixture(scope="session")
def toy_messages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the toy game's messages, on the import path while tests run."""
    folder = tmp_path_factory.mktemp("messages")
    compile_messages(folder)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
async def host(toy_messages: Path) -> AsyncIterator[Host]:
    async with run_host([f"secret_nim={MODULE}"], path=[toy_messages]) as running:
        yield running


@pytest.fixture
async def rules(host: Host) -> AsyncIterator["RulesServiceAsyncStub"]:
    async with grpc.aio.insecure_channel(host.address) as channel:
        yield RulesServiceStub(channel)
