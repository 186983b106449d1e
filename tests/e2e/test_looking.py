"""`argosy watch`, `replay`, `matches`, `inspect`, `export` and `repair`, against matches that bots play."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.ids import raw_id
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb
from argosy.v1 import replay_service_pb2 as replay_pb

from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.rules.loading import load
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
    """A match that bots have played to its end."""
    async with Client.connect(platform.address, guest="Ann") as ann:
        match = await create(ann, "random", "random")
        async with asyncio.timeout(60):
            async for _ in ann.follow(match):
                pass
    return match.removeprefix("matches/")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def waiting(platform: Platform) -> str:
    """A match that waits for a person."""
    async with Client.connect(platform.address, guest="Bob") as bob:
        return (await create(bob, "", "random")).removeprefix("matches/")


async def create(client: Client, *policies: str) -> str:
    options = entry_pb2.MatchOptions(min_seats=len(policies), max_seats=len(policies))
    seats = [pb.SeatRequest(seat=seat, bot_policy=policy) for seat, policy in enumerate(policies)]
    return (await client.create("sirenen", options=options, seats=seats)).name


async def run(*words: str, expected: int = 0) -> str:
    """What `argosy` with these words writes into a pipe; errors where it is to fail."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway.cli", *words),
        cwd=ROOT,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, complaints = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == expected, complaints.decode()
    assert b"Traceback" not in complaints
    return (complaints if expected else out).decode()


def known(platform: Platform, tmp_path: Path) -> list[str]:
    return ["--server", platform.address, "--credentials", str(tmp_path / "me.json"), "--guest", "Eve"]


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


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


async def test_an_export_is_a_script_that_plays_the_match_again(platform: Platform, ended: str, tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    await run("export", ended, "--trace", "--out", str(file), *known(platform, tmp_path))
    lines = file.read_text().splitlines()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.rules.trace", "sirenen", "--script", str(file)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    played = [json.loads(line) for line in out.splitlines()]
    assert len(played) == len(lines)
    assert not [line for line in played if "refused" in line]
    assert played[-1]["result"] is not None
    whole = tmp_path / "whole.argosy"
    await run("export", ended, "--out", str(whole), *known(platform, tmp_path))
    assert whole.stat().st_size > 1000


async def test_what_is_not_opened_has_no_script(platform: Platform, waiting: str, tmp_path: Path) -> None:
    told = await run("export", waiting, "--trace", *known(platform, tmp_path), expected=1)
    assert "not opened" in told


async def test_a_match_that_goes_on_or_is_frozen_is_a_script_that_leads_to_its_state(
    platform: Platform, tmp_path: Path
) -> None:
    keys = {scope: platform.key(scope) for scope in ("host", "audit")}
    async with Client.connect(platform.address, guest="Dora") as dora:
        going = await begun(dora)
    for scope, is_frozen in (("host", False), ("audit", True)):
        by_scope = ["--server", platform.address, "--key", keys[scope]]
        words = ["export", going, "--trace", *by_scope]
        async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
            if is_frozen:
                await log.freeze(raw_id(f"matches/{going}"), 2)
        assert "REASON_MISSING" in await run(*words, "--opened", expected=1)
        script, whole = tmp_path / "script.jsonl", tmp_path / "whole.argosy"
        await run(*words, "--reason", "a defect", "--out", str(script))
        await run("export", going, "--opened", "--reason", "a defect", "--out", str(whole), *by_scope)
        played = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "services.rules.trace", "sirenen", "--script", str(script)],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        lines = [json.loads(line) for line in played.stdout.splitlines()]
        assert len(lines) == len(script.read_text().splitlines())
        assert lines[-1]["state"] == state_of(whole.read_bytes())


async def begun(client: Client) -> str:
    """A match of the client's in which it has acted some times and that waits for it."""
    match, acted = await create(client, "", "random"), 0
    async with client.follow(match, seat=0, actions=True) as table:
        async for update in table:
            if update.actions and acted == 5:
                break
            if update.actions:
                await table.play(update.actions[-1].action, at=update)
                acted += 1
    return match.removeprefix("matches/")


def state_of(export: bytes) -> Any:
    """The state of an opened match by its events, as the specification writes it."""
    game, state = load("sirenen"), None
    for entry in replay_pb.Export.FromString(export).opened:
        part = entry_pb2.EntryPart.FromString(entry.sealed_parts[-1])
        if part.cause.HasField("created"):
            settings = game.settings.from_bytes(part.cause.created.settings)
        if part.HasField("start"):
            state = game.module.initial(settings, part.start.seats)
        for event in part.game_events:
            state = game.module.evolve(state, game.event.from_bytes(event))
    return json.loads(json.dumps(game.notation.state_json(state)))


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


async def test_a_frozen_match_goes_on_after_a_repair(platform: Platform) -> None:
    async with Client.connect(platform.address, guest="Cleo") as cleo:
        match = await create(cleo, "", "random")
        async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
            await log.freeze(raw_id(match), 1)
        words = ["repair", match, "--redis-url", platform.store.url]
        words += ["--rules", f"sirenen={platform.rules[0].address}"]
        assert "goes on from version" in await run(*words)
        assert "is not frozen" in await run(*words)
        assert "no such match" in await run("repair", "0" * 26, *words[2:], expected=1)
        assert (await cleo.resign(match)).state == pb.Match.STATE_ENDED
