"""kill -9 under load: of a gateway, of the rules, of the store."""

import asyncio
import signal

import pytest

from tests.faults.load import check, loaded
from tests.platform import run_platform

MATCHES = 8
pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("kills", [3])
async def test_a_gateway_is_killed(kills: int) -> None:
    async with run_platform(gateways=2) as platform, loaded(platform, MATCHES) as (load, playing):
        for _ in range(kills):
            await asyncio.sleep(0.4)
            await platform.gateways[0].end(signal.SIGKILL)
            await platform.gateways[0].start()
        await playing
        assert await check(platform, load) > MATCHES * 20


async def test_a_gateway_drains_and_its_streams_go_on_elsewhere() -> None:
    async with run_platform(gateways=2) as platform, loaded(platform, MATCHES) as (load, playing):
        await asyncio.sleep(0.5)
        assert await platform.gateways[1].end(signal.SIGTERM) == 0
        await platform.gateways[1].start()
        await playing
        await check(platform, load)


async def test_the_rules_are_killed() -> None:
    async with run_platform() as platform, loaded(platform, MATCHES) as (load, playing):
        for _ in range(3):
            await asyncio.sleep(0.4)
            await platform.rules[0].end(signal.SIGKILL)
            await platform.rules[0].start()
        await playing
        await check(platform, load)


async def test_the_store_is_killed() -> None:
    async with run_platform(gateways=2) as platform, loaded(platform, MATCHES) as (load, playing):
        for _ in range(3):
            await asyncio.sleep(0.4)
            platform.store.kill(signal.SIGKILL)
            await asyncio.sleep(0.2)
            await asyncio.to_thread(platform.store.start)
        await playing
        await check(platform, load)


async def test_the_store_is_paused(is_long: bool) -> None:
    async with run_platform() as platform, loaded(platform, MATCHES) as (load, playing):
        for seconds in (0.5, 3.0, 6.0, 12.0) if is_long else (0.5, 3.0):
            await asyncio.sleep(0.3)
            platform.store.kill(signal.SIGSTOP)
            await asyncio.sleep(seconds)
            platform.store.kill(signal.SIGCONT)
        await playing
        await check(platform, load)
