"""`argosy watch`, `replay`, `matches` and `inspect`, against matches that bots play."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from argosy.client import Client

from tests.e2e.matches import create, known, played_by_bots, run, waiting_match, widest
from tests.e2e.terminal import ROOT, argosy
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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def waiting(platform: Platform) -> str:
    return await waiting_match(platform)


async def test_a_match_is_watched_to_its_end(platform: Platform, ended: str, tmp_path: Path) -> None:
    words = ["watch", ended, "--from-start", *known(platform, tmp_path)]
    told = [json.loads(line) for line in (await run(*words, "--json")).splitlines()]
    assert [line["version"] for line in told] == list(range(1, len(told) + 1))
    assert "end" in told[-1]
    shown = await run(*words)
    assert "The match is over, RESULT" in shown
    assert widest(shown) <= 80


async def test_who_reads_no_further_ends_it_quietly(platform: Platform, ended: str, tmp_path: Path) -> None:
    words = ["watch", ended, "--from-start", "--json", "--pace", "0.01", *known(platform, tmp_path)]
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", '"$@" | head -n 1', "sh", sys.executable, "-m", "gateway.cli", *words),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, complaints = await asyncio.wait_for(process.communicate(), 60)
    assert json.loads(out)["version"] == 1
    assert complaints == b""


async def test_all_of_ones_matches_are_watched_as_they_come(platform: Platform, tmp_path: Path) -> None:
    async with argosy(tmp_path, "watch", "--mine", *known(platform, tmp_path)) as terminal:
        await terminal.expect("These are all of now")
        async with Client.connect(platform.address, credentials=tmp_path / "me.json") as eve:
            names = [(await create(eve, "", "random")).removeprefix("matches/") for _ in range(2)]
            for name in names:
                await eve.resign(name)
        told = await terminal.expect(r"(?s)(The match is over, RESIGNED.*?seat 1.*?){2}")
        assert told.count("sirenen: seat 0: you") == len(names)
        assert set(names) <= set(re.findall(r"^[0-9a-z]{26}", terminal.text, re.MULTILINE))
        assert await terminal.end(signal.SIGINT) == 130
        assert "Traceback" not in terminal.text
        assert "exception" not in terminal.text
        assert widest(terminal.text) <= 80
    assert "name a match" in await run("watch", *known(platform, tmp_path), expected=2)


async def test_a_match_is_stepped_through_forward_and_back(platform: Platform, ended: str, tmp_path: Path) -> None:
    async with argosy(tmp_path, "replay", ended, *known(platform, tmp_path)) as terminal:
        first = await terminal.expect(r"entry 1 of (\d+)[^>]*>")
        last = re.search(r"of (\d+)", first)
        assert last
        for typed, version in (
            ("", 2),
            ("n", 3),
            ("b", 2),
            ("9", 9),
            ("e", int(last[1])),
            ("n", int(last[1])),
            ("b", int(last[1]) - 1),
        ):
            terminal.type(typed)
            await terminal.expect(rf"entry {version} of {last[1]}( by seat \d)?\n[^>]*>")
        terminal.type("q")
        assert await terminal.end() == 0
        assert widest(terminal.text) <= 80


async def test_one_position_is_printed_for_scripts(platform: Platform, ended: str, tmp_path: Path) -> None:
    told = json.loads(await run("replay", ended, "--at", "3", "--json", *known(platform, tmp_path)))
    assert told["version"] == 3
    assert told["last_version"] > 10
    assert "position" in told
    assert "entry 3 of" in await run("replay", ended, "--at", "3", *known(platform, tmp_path))


async def test_matches_are_listed_by_state_and_idleness(
    platform: Platform, ended: str, waiting: str, tmp_path: Path
) -> None:
    def names(text: str) -> set[str]:
        return {match["name"].removeprefix("matches/") for match in json.loads(text)}

    words = ["matches", "--json", *known(platform, tmp_path)]
    assert {ended, waiting} <= names(await run(*words))
    assert ended in names(await run(*words, "--state", "ended"))
    assert waiting not in names(await run(*words, "--state", "ended"))
    assert names(await run(*words, "--idle", "3h")) == set()
    assert names(await run(*words, "--mine")) == set()
    (match,) = [match for match in json.loads(await run(*words)) if match["name"].endswith(waiting)]
    person, bot = match["seats"]
    assert (person["seat"], person["display_name"], "bot_policy" in person) == (0, "Bob", False)
    assert (bot["seat"], bot["bot_policy"], "player" in bot) == (1, "random", False)
    shown = await run("matches", *known(platform, tmp_path))
    assert waiting in shown
    assert widest(shown) <= 80
    assert "is no time" in await run("matches", "--idle", "soon", *known(platform, tmp_path), expected=2)


async def test_a_mistyped_command_is_guessed() -> None:
    assert "did you mean matches?" in await run("mathces", expected=2)
    assert "did you mean" not in await run("zzz", expected=2)


async def test_a_host_looks_at_what_others_see_and_says_why(platform: Platform, waiting: str, tmp_path: Path) -> None:
    host = ["--server", platform.address, "--key", platform.key("host")]
    assert "REASON_MISSING" in await run("inspect", waiting, "--as", "server", *host, expected=1)
    seen: dict[str, Any] = {}
    for viewer in ("spectator", "0", "1", "server"):
        words = ["inspect", waiting, "--as", viewer, "--reason", "a test", "--at", "1"]
        seen[viewer] = json.loads(await run(*words, "--json", *host))["position"]
    hands = {viewer: json.dumps(position) for viewer, position in seen.items()}
    assert len(set(hands.values())) == 4
    assert "hand:" in await run("inspect", waiting, "--as", "0", "--reason", "a test", *host)
    stranger = ["inspect", waiting, "--as", "server", "--reason", "I want", *known(platform, tmp_path)]
    assert "argosy: " in await run(*stranger, expected=1)
