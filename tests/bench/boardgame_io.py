"""The same load on boardgame.io: a game of the same size, in memory, nothing durable.

Server and load run in Node, from the folder `boardgame`; what they need is installed with npm into `.build`, once.
"""

import asyncio
import contextlib
import json
import shutil
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.accounting import CLIENTS, between, spent
from tests.bench.moves import Figures, percentiles
from tests.platform import ROOT

_SOURCE = Path(__file__).parent / "boardgame"
_SCRATCH = ROOT / ".build" / "bench" / "boardgame"
SERVER = "boardgame.io"


class Missing(RuntimeError):
    """boardgame.io cannot be had here; the text says why."""


async def install() -> Path:
    """The folder with everything installed. Raises Missing."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing("npm and node are not installed")
    _SCRATCH.mkdir(parents=True, exist_ok=True)
    for file in _SOURCE.iterdir():
        shutil.copy(file, _SCRATCH)
    if not (_SCRATCH / "node_modules" / "boardgame.io").is_dir():
        process = await asyncio.create_subprocess_exec(
            *(npm, "install", "--silent", "--no-audit", "--no-fund"), cwd=_SCRATCH, stdout=asyncio.subprocess.DEVNULL
        )
        if await process.wait():
            raise Missing("npm cannot install boardgame.io")
    return _SCRATCH


@contextlib.asynccontextmanager
async def server(folder: Path) -> AsyncIterator[tuple[int, int]]:
    """A server: its pid and port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = await asyncio.create_subprocess_exec(
        *("node", "server.js", str(port)), cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdout is not None
    try:
        while b"serving" not in await process.stdout.readline():
            assert process.returncode is None, "boardgame.io's server has ended"
        yield process.pid, port
    finally:
        with contextlib.suppress(ProcessLookupError):  # Ctrl-C has ended it too
            process.kill()
        await process.wait()


@dataclass(frozen=True, slots=True)
class Other:
    """A boardgame.io server that runs."""

    pid: int
    port: int
    folder: Path

    async def play_round(self, matches: int, moves: int) -> Figures:
        """So many matches at once until so many moves are made, as on Argosy."""
        load = await asyncio.create_subprocess_exec(
            *("node", "load.js", str(self.port), str(matches), str(moves)),
            cwd=self.folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**26,
        )
        assert load.stdin is not None
        assert load.stdout is not None
        try:
            async with asyncio.timeout(180):
                assert await load.stdout.readline() == b"ready\n", "boardgame.io's load did not start"
                before = spent({SERVER: [self.pid]})
                load.stdin.write(b"go\n")
                found = json.loads(await load.stdout.readline())
                costs = between(before, spent({SERVER: [self.pid]}))
                load.stdin.write(b"end\n")
                await load.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                load.kill()
        return _figures(found, costs[SERVER])


@contextlib.asynccontextmanager
async def beside() -> AsyncIterator[Other | None]:
    """A server that runs beside what is measured; None, and a line that says why, where it cannot be had."""
    try:
        folder = await install()
    except Missing as missing:
        print(f"boardgame.io is left out: {missing}\n", flush=True)
        yield None
        return
    async with server(folder) as (pid, port):
        yield Other(pid, port, folder)


def _figures(found: dict[str, Any], server_s: float) -> Figures:
    moves = int(found["moves"])
    per_move = {SERVER: server_s / moves * 1e6, CLIENTS: found["client_us"] / moves}
    return Figures(moves / found["seconds"], per_move, percentiles(found["answers"]), percentiles(found["told"]))
