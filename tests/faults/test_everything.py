"""Every process of a platform killed under one load, the store too; every oracle afterwards."""

import asyncio
import random
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from services.kit.log import ids
from services.kit.log.entries import Entry
from services.replay.archive import open_archive
from tests.faults.load import check, loaded
from tests.faults.oracles import audited
from tests.faults.test_replay import check as check_library
from tests.platform import Platform, run_platform

MATCHES, ROUNDS, LONG_ROUNDS = 8, 1, 3
MEMORY = 400 * 1024 * 1024
pytestmark = pytest.mark.timeout(600)


async def test_each_process_is_killed_under_load(is_long: bool) -> None:
    chance = random.Random(3)
    async with (
        run_platform(gateways=2, matchmaking=1, replay=1) as platform,
        loaded(platform, MATCHES) as (load, playing),
    ):
        (platform.folder / "anew").mkdir()
        for _ in range(LONG_ROUNDS if is_long else ROUNDS):
            victims = [*platform.gateways, *platform.matchmaking, *platform.replay, *platform.rules, None]
            chance.shuffle(victims)
            for victim in victims:
                await asyncio.sleep(0.2)
                if victim is None:
                    platform.store.kill(signal.SIGKILL)
                    await asyncio.to_thread(platform.store.start)
                else:
                    await victim.end(signal.SIGKILL)
                    await victim.start()
        await playing
        await check(platform, load, is_trimmed=True)
        histories = await audited(platform, "sirenen", load.matches)
        await until_archived(platform, histories)
        await check_library(platform, {name.removeprefix("matches/"): e[-1].digest for name, e in histories.items()})
        for process in (*platform.gateways, *platform.matchmaking, *platform.replay, *platform.rules):
            assert memory_of(process.pid) < MEMORY, process.name


async def until_archived(platform: Platform, histories: Mapping[str, Sequence[Entry]]) -> None:
    """Waits until the archive has every history, to the byte."""
    archive = open_archive(None, platform.folder)
    async with asyncio.timeout(240):
        for name, entries in histories.items():
            while await archive.read(ids.from_text(name.removeprefix("matches/"))) != entries:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)


def memory_of(pid: int) -> int:
    """Bytes that a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
