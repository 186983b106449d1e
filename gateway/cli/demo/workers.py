"""The processes whose bots play: each gets seats as JSON lines and tells in JSON lines how it goes."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from gateway.cli.demo.seating import Seated
from services.kit.startup import CannotStart

Hear = Callable[[dict[str, Any]], None]
_MODULE: Final = "services.rules.bots"
_LONGEST_LINE: Final = 4 * 1024 * 1024


@contextlib.asynccontextmanager
async def playing(address: str, matches: Sequence[Seated], count: int, policy: str, hear: Hear) -> AsyncIterator[None]:
    """Bots in `count` processes play all seats while the context lasts; `hear` is told every line they write.

    A process that fails raises CannotStart, with its last words. What is raised within leaves as a group.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_work(address, _lines(matches[i::count], policy), hear)) for i in range(count)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def _work(address: str, lines: Sequence[str], hear: Hear) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", _MODULE, "work", "--server", address),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
        env=os.environ,
        start_new_session=True,  # an interrupt reaches the demo alone, which ends its workers
    )
    try:
        async with asyncio.TaskGroup() as group:
            words = group.create_task(_last_words(process))
            group.create_task(_hand_out(process, lines))
            await _listen(process, hear)
        if await process.wait():
            raise CannotStart(f"the bots ended with exit code {process.returncode}: {words.result()}")
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _lines(matches: Sequence[Seated], policy: str) -> list[str]:
    return [
        json.dumps({"match": m.name, "game": m.game, "seat": s, "policy": policy, "account": account.dump()})
        for m in matches
        for s, account in enumerate(m.players)
    ]


async def _hand_out(process: asyncio.subprocess.Process, lines: Sequence[str]) -> None:
    assert process.stdin is not None
    process.stdin.writelines(f"{line}\n".encode() for line in lines)
    with contextlib.suppress(ConnectionError):  # its exit code says more
        await process.stdin.drain()
        process.stdin.close()


async def _listen(process: asyncio.subprocess.Process, hear: Hear) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        hear(json.loads(line))


async def _last_words(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    last = ""
    async for line in process.stderr:
        last = line.decode(errors="replace").strip() or last
    return last
