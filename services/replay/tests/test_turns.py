"""One process at a time reads a partition; on SQLite and Postgres."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from services.replay.library import Library, sqlite_url
from services.replay.turns import turn

HOMES = range(3, 9)


async def test_a_second_one_waits_until_the_first_has_ended(postgres_library: Library) -> None:
    draining, has_begun, order = asyncio.Event(), asyncio.Event(), list[str]()

    async def second() -> None:
        has_begun.set()
        async with turn(postgres_library.database, range(8, 12), draining) as is_ours:
            assert is_ours
            order.append("second")

    async with asyncio.TaskGroup() as group, turn(postgres_library.database, HOMES, draining) as is_ours:
        assert is_ours
        group.create_task(second())
        await has_begun.wait()
        await asyncio.sleep(0.7)
        order.append("first")
    assert order == ["first", "second"]


async def test_who_drains_waits_no_more(postgres_library: Library) -> None:
    draining = asyncio.Event()
    async with turn(postgres_library.database, HOMES, asyncio.Event()):
        asyncio.get_running_loop().call_later(0.2, draining.set)
        async with turn(postgres_library.database, HOMES, draining) as is_ours:
            assert not is_ours


PROCESS = """
import asyncio, sys
from services.replay.library import open_library
from services.replay.turns import turn

async def main(url, first, last):
    async with open_library(url) as library, turn(library.database, range(first, last + 1), asyncio.Event()):
        print("ours", flush=True)
        await asyncio.Event().wait()

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


@contextlib.asynccontextmanager
async def process(folder: Path, first: int, last: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that waits for its turn with a library on SQLite."""
    words = (sys.executable, "-c", PROCESS, sqlite_url(folder), str(first), str(last))
    started = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


async def told(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout
    async with asyncio.timeout(60):
        while (line := await process.stdout.readline()).endswith(b"turn_awaited\n"):
            pass
    return line


async def test_processes_on_sqlite_share_the_partitions_and_follow_one_another(tmp_path: Path) -> None:
    async with process(tmp_path, 0, 127) as first, process(tmp_path, 128, 255) as other:
        assert [await told(first), await told(other)] == [b"ours\n", b"ours\n"]
        async with process(tmp_path, 100, 150) as across, process(tmp_path, 0, 127) as second:
            waiting = asyncio.create_task(told(second)), asyncio.create_task(told(across))
            first.kill()
            assert await waiting[0] == b"ours\n"
            second.kill()
            await second.wait()
            assert not waiting[1].done()  # the other one has a part of what it wants
            other.kill()
            assert await waiting[1] == b"ours\n"
