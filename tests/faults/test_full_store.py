"""Little space in the store: nothing new begins, and what goes on goes on to its end."""

import asyncio

import pytest
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.client.retry import Patience
from redis.asyncio import Redis

from tests.faults.load import PATIENT, check, loaded
from tests.platform import run_platform

AT_ONCE = Patience(total=0.0)
pytestmark = pytest.mark.timeout(240)


async def refused_soon(client: Client) -> None:
    """New matches, and then tickets, are refused; until the gateway and matchmaking have looked they may be taken."""
    for ask in (lambda: client.create("sirenen"), lambda: client.tickets.create("sirenen")):
        while True:
            try:
                await ask()
            except ArgosyError as error:
                if error.name == "STORAGE_LOW":
                    break
                assert error.name == "TICKET_EXISTS"  # noqa: PT017 - the one that was taken before
            await asyncio.sleep(0.1)


async def test_nothing_new_begins_and_matches_end() -> None:
    mark = {"ARGOSY_REDIS_FULL": "0.5"}
    made = run_platform(matchmaking=1, of_gateways=mark, seating=mark)
    async with made as platform, Redis.from_url(platform.store.url) as store:
        async with loaded(platform, 4) as (load, playing):
            used = (await store.info("memory"))["used_memory"]
            await store.config_set("maxmemory", str(int(used * 1.6)))
            async with asyncio.timeout(60):
                while "store_low" not in platform.logs():  # noqa: ASYNC110 - the gateway finds it by itself
                    await asyncio.sleep(0.1)
            async with Client.connect(platform.address, guest="Late", patience=AT_ONCE) as late, asyncio.timeout(60):
                await refused_soon(late)
            await playing
            await check(platform, load)
        await store.config_set("maxmemory", str(256 * 1024 * 1024))
        async with Client.connect(platform.address, guest="Later", patience=PATIENT) as later:
            assert (await later.create("sirenen")).head.version == 1
