from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceStub

from tests.rules_host import Host, run_host
from tests.toy_game.building import MODULE

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub


@pytest.fixture
async def host(toy_messages: Path) -> AsyncIterator[Host]:
    async with run_host([f"secret_nim={MODULE}"], path=[toy_messages]) as running:
        yield running


@pytest.fixture
async def rules(host: Host) -> AsyncIterator["RulesServiceAsyncStub"]:
    async with grpc.aio.insecure_channel(host.address) as channel:
        yield RulesServiceStub(channel)
