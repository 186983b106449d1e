"""`argosy rule`, `rulings` and `disclose`, and where what they did is shown."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from tests.commands import argosy
from tests.integration.players import guests
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def match(platform: Platform) -> str:
    """A match that goes on, whose disclosure is the host's."""
    async with guests(platform) as pair:
        options = Options(min_seats=2, max_seats=2, disclosure=Options.DISCLOSURE_BY_HOST)
        made = await pair[0].create("sirenen", seats=[pb.SeatRequest(seat=0)], options=options)
        await pair[1].join(made.name)
    return made.name.removeprefix("matches/")


async def test_a_match_is_noted_ended_ruled_on_and_disclosed(platform: Platform, match: str, tmp_path: Path) -> None:
    who = ["--server", platform.address, "--key", platform.key("host")]

    async def said(*words: str, expected: int = 0) -> str:
        ended = await argosy(*words, *who)
        assert ended.code == expected, ended.err
        return ended.err if expected else ended.out

    assert (await said("rulings", match)).strip() == "Nothing was ruled on this match."
    assert "ruled note: LATE_ARRIVAL" in await said("rule", match, "note", "--reason", "LATE_ARRIVAL")
    assert "goes on" in await said("rule", match, "void", "--reason", "CHEATING", expected=1)
    assert "goes on" in await said("disclose", match, expected=1)
    told = await said("rule", match, "adjudicate", "--scores", "1,0.5", "--reason", "CHEATING", "--end", "--json")
    assert json.loads(told)["scores"] == [1, 0.5]
    assert "ruled void: CHEATING" in await said("rule", match, "void", "--reason", "CHEATING", "--end")
    assert "ruled disclose: FINAL_PLAYED" in await said("disclose", match, "--reason", "FINAL_PLAYED")
    kinds = [one["kind"] for one in json.loads(await said("rulings", match, "--json"))]
    assert kinds == ["note", "adjudicate", "void", "disclose"]
    for _ in range(60):  # the library comes a little later
        (listed,) = [one for one in json.loads(await said("matches", "--json")) if one["name"].endswith(match)]
        if listed["reason"]:
            break
    assert (listed["ruling"]["kind"], listed["rulings"], listed["reason"]) == ("void", 4, "CHEATING")
    assert "ruled void: CHEATING" in await said("matches")
    for words in (("replay", match), ("inspect", match, "--as", "server")):
        assert "ruled void: CHEATING" in await said(*words)
        assert len(json.loads(await said(*words, "--json"))["rulings"]) == 4
    path = tmp_path / "ruled.argosy"
    async with Client.connect(platform.address, guest="Stranger") as stranger:
        path.write_bytes(await stranger.export(match))
    code, told, _ = await argosy("verify", str(path))
    assert code == 0
    assert "✓ result         ABORTED CHEATING" in told
    assert "VOID CHEATING, DISCLOSE FINAL_PLAYED; the match counts for nothing" in told
    assert told.splitlines()[-1] == "verified; by a ruling the match counts for nothing"


async def test_a_match_that_waits_is_aborted(platform: Platform) -> None:
    who = ("--server", platform.address, "--key", platform.key("host"))
    async with guests(platform) as pair:
        name = (await pair[0].create("sirenen")).name
    code, told, _ = await argosy("abort", name, "--reason", "SPAM", *who)
    assert (code, told) == (0, "The match is over, ABORTED: SPAM.\n")
    code, _, errors = await argosy("abort", name, "--reason", "SPAM", "--void", *who)
    assert (code, "over" in errors) == (1, True)


@pytest.mark.parametrize(
    "words", [("void", "--scores", "1,0"), ("adjudicate",), ("adjudicate", "--scores", "a,b"), ("praise",)]
)
async def test_what_cannot_be_ruled_is_wrong_usage(platform: Platform, match: str, words: tuple[str, ...]) -> None:
    code, _, _ = await argosy("rule", match, *words, "--reason", "X", "--server", platform.address)
    assert code == 2


async def test_a_reason_is_no_free_text(platform: Platform, match: str) -> None:
    who = ("--server", platform.address, "--key", platform.key("admin"))
    code, _, errors = await argosy("rule", match, "note", "--reason", "he cheated", *who)
    assert (code, "UPPER_SNAKE_CASE" in errors) == (1, True)
