"""Codes by which people find a match that waits for them."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import ArgosyError, Client, NotFound, Patience, RateLimited
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.integration.players import guests
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
SEAT = (pb.SeatRequest(seat=0),)
BURST = 12


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    limits = {"ARGOSY_GUESS_RATE": "0.001", "ARGOSY_GUESS_BURST": str(BURST)}
    async with run_platform(gateways=2, of_gateways=limits) as running:
        yield running


async def is_dead(client: Client, code: str) -> bool:
    """Whether the code stands for nothing."""
    try:
        await client.invited(code)
    except NotFound:
        return True
    return False


async def guesses_until_limited(client: Client) -> int:
    """How many wrong codes are heard out."""
    for number in range(2 * BURST):
        try:
            assert await is_dead(client, f"{number:08}")
        except RateLimited:
            return number
    raise AssertionError("no end of guessing")


async def test_a_code_leads_to_its_match_at_any_gateway(platform: Platform) -> None:
    async with guests(platform, 3) as (anna, bob, cleo):
        options = entry_pb2.MatchOptions(invitation=True)
        match = await anna.create("sirenen", options=options, seats=SEAT)
        made = await anna.invite(match.name)
        assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{8}", made.code)
        assert made.match == match.name
        assert 0 < made.expire_time.seconds - match.create_time.seconds <= 86_400
        assert (await anna.invite(match.name)).code == made.code
        typed = f" {made.code[:4]}-{made.code[4:]}".lower().replace("0", "o").replace("1", "l")
        for client in (bob, cleo):
            assert (await client.invited(typed)).name == match.name
        await bob.join((await bob.invited(made.code)).name)
        assert (await bob.invited(made.code)).state == pb.Match.STATE_ACTIVE  # for who sits there it still is one
        assert await is_dead(cleo, made.code)
        with pytest.raises(ArgosyError) as started:
            await anna.invite(match.name)
        assert started.value.name == "MATCH_STARTED"
        assert made.code not in platform.logs()


async def test_a_new_code_kills_the_old_one_once_for_each_request(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob):
        match = await anna.create("sirenen", seats=SEAT)
        old = await anna.invite(match.name)
        again = [await anna.invite(match.name, renew=True, request_id="renewed-by-this-request") for _ in range(2)]
        assert again[0] == again[1]
        assert again[0].code != old.code
        assert await is_dead(bob, old.code)
        assert (await bob.invited(again[0].code)).name == match.name


async def test_a_code_ends_by_time(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob):
        match = await anna.create("sirenen", seats=SEAT)
        made = await anna.invite(match.name, expire_seconds=1)
        async with asyncio.timeout(60):
            while not await is_dead(bob, made.code):  # noqa: ASYNC110 - the store forgets it by time
                await asyncio.sleep(0.2)
        assert (await anna.invite(match.name)).code != made.code


async def test_only_the_creator_invites(platform: Platform) -> None:
    async with guests(platform, 2) as (anna, bob):
        match = await anna.create("sirenen", seats=SEAT)
        with pytest.raises(NotFound):
            await bob.invite(match.name)
        with pytest.raises(NotFound):
            await bob.invite("0" * 26)


async def test_guessing_is_slow_for_players_and_addresses(platform: Platform) -> None:
    address = platform.gateways[1].address
    hasty = Patience(total=0.1)
    async with (
        Client.connect(address, guest="Ann", patience=hasty) as anna,
        Client.connect(address, guest="Eve", patience=hasty) as eve,
    ):
        match = await anna.create("sirenen", seats=SEAT)
        code = (await anna.invite(match.name)).code
        for _ in range(2 * BURST):
            await eve.invited(code)  # right ones count nothing
        assert 1 <= await guesses_until_limited(eve) <= BURST  # others here have mistyped before
        with pytest.raises(RateLimited):
            await eve.invited(code)
        with pytest.raises(RateLimited):  # nor as somebody else from there
            await anna.invited(code)
