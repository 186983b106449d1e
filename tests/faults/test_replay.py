"""Replay killed, its group destroyed, its feed lost: in the end library and archive are what the histories are."""

import asyncio
import contextlib
import os
import random
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from argosy.client import Client

from services.kit.log import ids, partitions
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.replay.archive import open_archive
from services.replay.histories import Histories
from services.replay.library import open_library, sqlite_url
from services.replay.reindexing import reindex
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform

KILLS = int(os.environ.get("REPLAY_KILLS", "4"))
"""How often replay is killed; `make soak` does it a hundred times."""
PAIRS = 3
TABLES = ("matches", "seats")
Played = dict[str, bytes]


@contextlib.asynccontextmanager
async def playing(platform: Platform, played: Played) -> AsyncIterator[None]:
    """Pairs of players who play one match after another until the block ends; `played` gets the last digests."""
    ending = asyncio.Event()

    async def pair(number: int) -> None:
        async with Client.connect(platform.address, guest="A") as a, Client.connect(platform.address, guest="B") as b:
            while not ending.is_set():
                name = await seated_match([a, b])
                updates = await play_all([a, b], name, seed=number)
                played[name.removeprefix("matches/")] = updates[0][-1].digest

    async with asyncio.TaskGroup() as group:
        for number in range(PAIRS):
            group.create_task(pair(number))
        yield
        ending.set()


async def until_kept(platform: Platform, played: Played) -> None:
    """Waits until every match that was played has left the store."""
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        async with asyncio.timeout(240):
            for text in played:
                while await log.head(ids.from_text(text)) is not None:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.1)


async def check(platform: Platform, played: Played) -> None:
    """Archive and library are what was played, and the library is what making it anew gives."""
    async with Client.connect(platform.address, guest="C") as client:
        ended = {match.name.removeprefix("matches/"): match.head.digest async for match in client.replays()}
    assert ended == played
    before = rows(platform.folder)
    assert len(before["matches"]) == len(played)
    with sqlite3.connect(platform.folder / "library.db") as library:
        assert list(library.execute("SELECT * FROM quarantine")) == []
    async with (
        open_log(RedisSettings(redis_url=platform.store.url)) as log,
        open_library(sqlite_url(platform.folder / "anew")) as anew,
    ):
        archive = open_archive(None, platform.folder)
        for text, digest in played.items():
            entries = await archive.read(ids.from_text(text))
            assert entries is not None
            assert entries[-1].digest == digest
        await reindex(anew, Histories(log, archive))
    assert rows(platform.folder / "anew") == before


def rows(folder: Path) -> dict[str, list[Any]]:
    """Everything in the library but positions, and what the transparency log says of itself afterwards."""
    with sqlite3.connect(folder / "library.db") as library:
        library.row_factory = sqlite3.Row
        found = {table: library.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    return {
        table: sorted(tuple(row[key] for key in row.keys() if key != "is_logged") for row in rows)  # noqa: SIM118 - a Row
        for table, rows in found.items()
    }


@pytest.mark.timeout(600 + 20 * KILLS)
async def test_killed_again_and_again_under_load_it_keeps_everything() -> None:
    chance, played = random.Random(5), Played()
    async with run_platform(replay=1, keeping={"ARGOSY_REPLAY_KEEP_S": "0"}) as platform:
        (platform.folder / "anew").mkdir()
        (replay,) = platform.replay
        async with playing(platform, played):
            for _ in range(KILLS):
                await asyncio.sleep(chance.uniform(0.1, 1.5))
                await replay.end(signal.SIGKILL)
                await replay.start()
        await until_kept(platform, played)
        await check(platform, played)
        assert len(played) > KILLS


async def test_groups_destroyed_and_feeds_lost_under_load_change_nothing() -> None:
    played = Played()
    async with run_platform(replay=1, keeping={"ARGOSY_REPLAY_KEEP_S": "0"}) as platform:
        (platform.folder / "anew").mkdir()
        async with (
            open_log(RedisSettings(redis_url=platform.store.url)) as log,
            playing(platform, played),
        ):
            client = log.servers.of(0).client
            for _ in range(3):
                await asyncio.sleep(0.7)
                for partition in range(partitions.COUNT):
                    await client.xgroup_destroy(partitions.feed_key(partition), "replay")
            await asyncio.sleep(0.7)
        await until_kept(platform, played)
        await check(platform, played)
        assert "feed_group_lost" in platform.logs()
