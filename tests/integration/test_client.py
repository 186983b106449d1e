"""The client against real processes: what it promises beyond a call and its answer."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client, Transcript, Update

from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform() as running:
        yield running


pytestmark = pytest.mark.asyncio(loop_scope="module")


def transcript(updates: list[Update]) -> str:
    """The digest of all entries."""
    told = Transcript()
    for update in updates:
        assert update.entry is not None
        told.add(update.entry)
    return told.digest


async def test_a_gateway_killed_in_the_middle_is_not_noticed(platform: Platform) -> None:
    async with (
        Client.connect(platform.address, guest="Ann") as ann,
        Client.connect(platform.address, guest="Bob") as bob,
    ):
        match = await seated_match([ann, bob])
        playing = asyncio.create_task(play_all([ann, bob], match, seed=3))
        async for update in ann.follow(match, seat=0, stream=False):
            if update.version >= 12:
                break
        await platform.gateways[0].end(signal.SIGKILL)
        await platform.gateways[0].start()
        received = await playing
        for seat, client in enumerate((ann, bob)):
            assert [u.version for u in received[seat]] == list(range(1, len(received[seat]) + 1))
            replay = [u async for u in client.follow(match, seat=seat, stream=False)]
            assert transcript(received[seat]) == transcript(replay)


async def test_a_guest_comes_back_with_its_file(platform: Platform, tmp_path: Path) -> None:
    path, names = tmp_path / "credentials.json", []
    for _ in range(2):
        async with Client.connect(platform.address, guest="Ann", credentials=path) as client:
            names.append((await client.me()).name)
    assert names[0] == names[1]


async def test_who_begins_where_the_match_stands_has_what_it_needs_to_act(platform: Platform) -> None:
    async with (
        Client.connect(platform.address, guest="Ann") as ann,
        Client.connect(platform.address, guest="Bob") as bob,
    ):
        match = await seated_match([ann, bob])
        clients = {0: ann, 1: bob}
        for _ in range(6):
            seat = (await ann.get(match)).status.turn[0]
            async with clients[seat].follow(match, seat=seat, position=True, actions=True, from_start=False) as table:
                stands = await anext(table)
                assert stands.snapshot is not None
                assert stands.position is not None
                assert stands.actions
                played = await table.play(random.choice(stands.actions).action, at=stands)
                assert played.version == stands.version + 1


@pytest.mark.parametrize("stream", [True, False])
async def test_who_resumes_at_the_head_has_what_it_needs_to_act(platform: Platform, stream: bool) -> None:
    async with (
        Client.connect(platform.address, guest="Ann") as ann,
        Client.connect(platform.address, guest="Bob") as bob,
    ):
        match = await seated_match([ann, bob])
        stands = await ann.get(match)
        seat = stands.status.turn[0]
        player = (ann, bob)[seat]
        following = player.follow(match, seat=seat, position=True, labels=True, after=stands.head, stream=stream)
        async with following as table:
            resumed = await anext(table)
            assert (resumed.version, resumed.digest, resumed.entry) == (stands.head.version, stands.head.digest, None)
            assert resumed.position is not None
            assert resumed.actions
            assert all(action.label for action in resumed.actions)
            played = await table.play(resumed.actions[0].action, at=resumed)
            assert (await anext(table)).version == played.version == resumed.version + 1
        async with ann.follow(match, after=stands.head, stream=stream) as table:  # wants nothing beside the entries
            assert (await anext(table)).version == stands.head.version + 1


async def test_many_matches_are_followed_on_few_connections(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="Ann") as ann:
        matches = [await ann.create("sirenen") for _ in range(60)]
        tables = [ann.follow(match.name) for match in matches]
        first = await asyncio.gather(*(anext(table) for table in tables))
        assert [update.version for update in first] == [1] * 60
        assert (await ann.get(matches[0].name)).head.version == 1
        await ann.join(matches[-1].name)
        assert (await anext(tables[-1])).version == 2


async def test_labels_come_where_they_are_wanted(platform: Platform) -> None:
    async with (
        Client.connect(platform.address, guest="Ann") as ann,
        Client.connect(platform.address, guest="Bob") as bob,
    ):
        match = await seated_match([ann, bob])
        seat = (await ann.get(match)).status.turn[0]
        for wanted in (False, True):
            async with (ann, bob)[seat].follow(match, seat=seat, actions=True, labels=wanted) as table:
                async for update in table:
                    if update.actions:
                        assert all(bool(action.label) is wanted for action in update.actions)
                        break
