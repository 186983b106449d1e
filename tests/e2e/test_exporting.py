"""`argosy export` and `repair`: files that are scripts, and matches that were frozen."""

import asyncio
import json
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
from tests.commands import ROOT
from tests.e2e.matches import create, known, played_by_bots, run, waiting_match
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
