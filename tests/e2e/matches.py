"""Matches that bots play, and commands about them."""

import asyncio
from pathlib import Path

from argosy.client import Client
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.commands import argosy
from tests.platform import Platform


async def create(client: Client, *policies: str) -> str:
    """A match of sirenen with these bots; a seat for a person where the policy is empty."""
    options = entry_pb2.MatchOptions(min_seats=len(policies), max_seats=len(policies))
    seats = [pb.SeatRequest(seat=seat, bot_policy=policy) for seat, policy in enumerate(policies)]
    return (await client.create("sirenen", options=options, seats=seats)).name


async def played_by_bots(platform: Platform) -> str:
    """The id of a match that bots have played to its end."""
    async with Client.connect(platform.address, guest="Ann") as ann:
        match = await create(ann, "random", "random")
        async with asyncio.timeout(60):
            async for _ in ann.follow(match):
                pass
    return match.removeprefix("matches/")


async def waiting_match(platform: Platform) -> str:
    """The id of a match that waits for a person."""
    async with Client.connect(platform.address, guest="Bob") as bob:
        return (await create(bob, "", "random")).removeprefix("matches/")


async def run(*words: str, expected: int = 0) -> str:
    """What `argosy` with these words writes; errors where it is to fail."""
    ended = await argosy(*words)
    assert ended.code == expected, ended.err
    assert "Traceback" not in ended.err
    return ended.err if expected else ended.out


def known(platform: Platform, tmp_path: Path) -> list[str]:
    """The options by which Eve, who comes back, reaches the platform."""
    return ["--server", platform.address, "--credentials", str(tmp_path / "me.json"), "--guest", "Eve"]


def widest(text: str) -> int:
    """The length of the longest line."""
    return max(map(len, text.splitlines()))
