"""Bots as programs: `python -m services.rules.bots`."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.platform import ROOT, Platform, run_platform


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform() as running:
        yield running


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def bots(*words: str, key: str = "") -> tuple[int, str, str]:
    """Exit code and what was written."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.rules.bots", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "ARGOSY_KEY": key},
        cwd=ROOT,
    )
    told, complaints = await asyncio.wait_for(process.communicate(), 90)
    assert process.returncode is not None
    return process.returncode, told.decode(), complaints.decode()


@pytest.mark.parametrize("scopes", [(), ("host", "play"), ("play",)])
async def test_matches_play_themselves(platform: Platform, scopes: tuple[str, ...]) -> None:
    key = platform.key(*scopes) if scopes else ""
    code, told, complaints = await bots("sirenen", "-n", "2", "--server", platform.address, key=key)
    assert (code, complaints) == (0, "")
    assert told.splitlines()[-1].startswith("2 of 2 matches ended after")
    assert sum(line.startswith("matches/") for line in told.splitlines()) == 2


async def test_scripts_get_one_object(platform: Platform) -> None:
    code, told, complaints = await bots("sirenen", "--json", "--server", platform.address)
    assert (code, complaints) == (0, "")
    found = json.loads(told)
    assert (found["asked"], found["ended"]) == (1, 1)
    assert found["moves"] > 0
    assert {*found["matches"][0]} == {"match", "reason", "scores"}


async def test_matches_are_played_to_their_end_though_nobody_reads(platform: Platform) -> None:
    unread, output = os.pipe()
    os.close(unread)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.rules.bots", "sirenen", "-n", "2", "--server", platform.address),
        stdout=output,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    os.close(output)
    _, complaints = await asyncio.wait_for(process.communicate(), 90)
    assert (process.returncode, complaints) == (0, b"")


async def test_an_unknown_game_or_platform_is_one_line_and_exit_code_2(platform: Platform) -> None:
    for words in (["nonsense", "--server", platform.address], ["sirenen", "--server", "127.0.0.1:1"]):
        code, _, complaints = await bots(*words)
        assert code == 2
        assert len(complaints.splitlines()) == 1
