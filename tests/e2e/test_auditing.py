"""`argosy accesses` and `knew`: who looked at a match, and who could know what."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client

from tests.e2e.matches import create, known, played_by_bots, run, widest
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(matchmaking=1, replay=1) as running:
        bots = await running.start_bots()
        yield running
        await bots.end()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ended(platform: Platform) -> str:
    return await played_by_bots(platform)


async def test_players_are_told_who_looked(platform: Platform, tmp_path: Path) -> None:
    host = ["--server", platform.address, "--key", platform.key("host")]
    own = known(platform, tmp_path)
    async with Client.connect(platform.address, credentials=tmp_path / "me.json", guest="Eve") as eve:
        match = (await create(eve, "", "random")).removeprefix("matches/")
        await run("inspect", match, "--as", "server", "--reason", "a complaint", *host)
        assert "NOT_DISCLOSED" in await run("accesses", match, *own, expected=1)
        await eve.resign(match)
    told = await run("accesses", match, *own)
    assert "reason: a complaint" in told
    assert "everything opened" in told
    assert widest(told) <= 80
    (access,) = json.loads(await run("accesses", match, "--json", *own))
    assert (access["display_name"], access["method"], access["live"]) == ("tests", "GetReplayPosition", True)
    assert "1 played: 0 won, 1 lost, 0 drawn" in await run("record", *own)
    assert "1 played: 0 won, 1 lost, 0 drawn" in await run("matches", "--mine", *own)
    assert "Looked at by tests at 2" in await run("replay", match, *own)
    auditor = ["--server", platform.address, "--key", platform.key("audit")]
    assert match in await run("accesses", "--privileged", *auditor)


async def test_it_is_told_who_could_know_what(platform: Platform, ended: str, tmp_path: Path) -> None:
    own = known(platform, tmp_path)
    listed = await run("knew", ended, "--list", *own)
    assert "Event.card_drawn.card  int32  (for seats)" in listed
    entry = "".join([await run("knew", ended, "--at", str(version), *own) for version in (1, 2, 3)])
    found = re.search(r"(hand_dealt\.cards\.cards|card_drawn\.card)(\[0\])? = (\d+)  \(seat (\d)\)", entry)
    assert found
    asked = ["knew", ended, "--field", found[1], "--value", found[3], "--where", f"seat={found[4]}"]
    assert "could know it: Event." in await run(*asked, "--seat", found[4], *own)
    await run(*asked, *own, expected=1)  # spectators never were
    assert "say which --value" in await run("knew", ended, "--field", "card", *own, expected=2)
    assert "say one of" in await run("knew", ended, *own, expected=2)
