"""A game that no code of the platform names, played through the gateway; its hidden values are canaries."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from argosy.client import Client, Update
from argosy.client.errors import ArgosyError

from services.rules.loading import Loaded
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform
from tests.toy_game.building import GAME, MODULE, vary

CANARIES = tuple(range(1_234_577, 1_234_577 + 8))  # limits that nobody could have by chance


@contextlib.asynccontextmanager
async def playing(module: str, *path: Path) -> AsyncIterator[tuple[Platform, Sequence[Client]]]:
    """A platform that hosts this toy game, and two guests."""
    async with run_platform([f"{GAME}={module}"], path=path) as platform:
        ann, bob = (Client.connect(platform.address, guest=name) for name in ("Ann", "Bob"))
        async with ann, bob:
            yield platform, (ann, bob)


async def test_a_game_from_elsewhere_is_played_to_its_end(toy_messages: Path) -> None:
    async with playing(MODULE, toy_messages) as (_, clients):
        assert [game.name for game in await clients[0].games()] == [f"games/{GAME}"]
        first, second = await play_all(clients, await seated_match(clients, GAME))
    assert [u.digest for u in first] == [u.digest for u in second]
    assert first[-1].end is not None
    assert (first[-1].end.reason, sorted(first[-1].end.scores)) == ("LAST_STONE", [0, 1])


@pytest.fixture
def canary(toy_messages: Path, tmp_path: Path) -> Loaded:
    del toy_messages
    return vary(tmp_path, ("CARDS = (1, 1, 2, 2, 3, 3, 4, 4)", f"CARDS = {CANARIES}"))


async def test_a_canary_is_seen_by_its_seat_alone(canary: Loaded, toy_messages: Path, tmp_path: Path) -> None:
    async with playing(f"{canary.package}.{GAME}", toy_messages, tmp_path) as (platform, clients):
        match = await seated_match(clients, GAME)
        played = await play_all(clients, match)
        spectator = Client.connect(platform.address, guest="Eve")
        async with spectator:
            public = [update async for update in spectator.follow(match)]
        logs = platform.logs()
    own = [_canaries(updates) for updates in played]
    assert own[0]
    assert own[1]
    assert own[0].isdisjoint(own[1])
    assert not _canaries(public)
    assert not [c for c in CANARIES if str(c) in logs]


async def test_a_crash_tells_nothing_hidden(toy_messages: Path, tmp_path: Path) -> None:
    crashing = vary(
        tmp_path,
        ("CARDS = (1, 1, 2, 2, 3, 3, 4, 4)", f"CARDS = {CANARIES}"),
        ("        taken = Taken(seat, action.count)\n", "        raise KeyError(state.players)\n"),
    )
    async with playing(f"{crashing.package}.{GAME}", toy_messages, tmp_path) as (platform, clients):
        match = await seated_match(clients, GAME)
        (actor, *_) = (await clients[0].get(match)).status.turn
        action = (await clients[actor].list_actions(match, actor))[0].action
        with pytest.raises(ArgosyError) as failure:
            await asyncio.wait_for(clients[actor].play(match, action), 120)
        logs = platform.logs()
    assert failure.value.name == "INTERNAL"
    assert "KeyError" in logs
    assert not [c for c in CANARIES if str(c) in logs + str(failure.value)]


def _canaries(updates: Sequence[Update]) -> set[int]:
    """The canaries in the bytes that a client received, as varints or digits."""
    received = b"".join(
        message.SerializeToString() for u in updates for message in (u.entry, u.position, u.snapshot) if message
    )
    return {c for c in CANARIES if _varint(c) in received or str(c).encode() in received}


def _varint(number: int) -> bytes:
    return bytes((number & 127 | 128, number >> 7 & 127 | 128, number >> 14))
