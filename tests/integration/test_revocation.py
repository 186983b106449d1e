"""`argosy keys revoke` ends what a key has open, at gateways that it does not talk to."""

import asyncio
import json

import pytest
from argosy.client import Client
from argosy.client.errors import Unauthenticated
from argosy.v1 import match_service_pb2 as pb

from tests.commands import argosy
from tests.platform import Platform, run_platform


async def argosy_keys(platform: Platform, *arguments: str) -> dict[str, str]:
    ended = await argosy("keys", *arguments, "--data", str(platform.folder), "--json")
    assert ended.code == 0, ended.err
    found: dict[str, str] = json.loads(ended.out)
    return found


async def test_a_player_is_told_so_wherever_it_plays() -> None:
    async with run_platform(gateways=2) as platform, asyncio.timeout(100):
        key = await argosy_keys(platform, "create", "Bot", "--scope", "play")
        addresses = [gateway.address for gateway in platform.gateways]
        async with Client.connect(addresses[0], guest="Ann") as ann:
            match = await ann.create("sirenen", seats=[pb.SeatRequest(seat=0)])
            async with Client.connect(addresses[0], key=key["secret"]) as one:
                await one.join(match.name)
                async with Client.connect(addresses[1], key=key["secret"]) as two:
                    tables = [one.follow(match.name, seat=1), two.follow(match.name, seat=1, stream=False)]
                    for table in tables:
                        await anext(table)
                    await argosy_keys(platform, "revoke", key["name"])
                    for table in tables:
                        with pytest.raises(Unauthenticated):
                            async for _ in table:
                                pass
            assert (await ann.get(match.name)).head.version >= 2
