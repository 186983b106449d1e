"""Mends the store's file where a kill tore it.

The server answers only after a write is whole and flushed, so what an interrupted write leaves at the end was never
acknowledged and may go. The same cut in a file that was closed in order is damage: then the server stays down and says
so, and a person decides.
"""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Final

from deploy.local.valkey import Launch

_TORN: Final = "Unexpected end of file reading the append only file"
_BEGUN, _SERVED, _CLOSED = "is starting", "Ready to accept connections", "bye bye"
_LOOK_BACK: Final = 256 * 1024


def is_torn_by_a_kill(log: str) -> bool:
    """Whether the server's log says that its file is torn now, and that its last service did not end in order."""
    *earlier, latest = log.split(_BEGUN)
    served = [run for run in earlier if _SERVED in run]
    return _TORN in latest and bool(served) and _CLOSED not in served[-1]


async def mend(launch: Launch, log: Path) -> str:
    """Cuts off what a kill left behind the last whole command, and says so; "" when there was nothing to mend.

    The file as it was stays beside it.
    """
    if not is_torn_by_a_kill(_end_of(log)):
        return ""
    folder = launch.folder / "appendonlydir"
    newest = max(folder.glob("*.incr.aof"), key=lambda file: int(file.name.split(".")[-3]))
    kept = newest.with_name(f"{newest.name}.torn-{int(time.time())}")
    shutil.copyfile(newest, kept)
    # The server's program is its checker too, by the name it is called. Given the manifest it would check the base as
    # well, whose form it does not know.
    checker = await asyncio.create_subprocess_exec(
        "valkey-check-aof",
        "--fix",
        str(newest),
        executable=launch.program[0],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await checker.communicate(b"y\n")
    cut = kept.stat().st_size - newest.stat().st_size
    if cut == 0:
        kept.unlink()
        return ""
    return f"the kill had torn the store's file: {cut} bytes that nobody was told of are cut; it was kept as {kept}"


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _LOOK_BACK))
        return file.read().decode(errors="replace")
