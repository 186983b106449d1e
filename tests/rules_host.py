"""Runs a real rules host for a test."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass
class Host:
    """A running host: its address, its process, and the log lines it wrote so far."""

    address: str
    process: asyncio.subprocess.Process
    lines: list[str]


@contextlib.asynccontextmanager
async def run_host(games: Sequence[str], *, path: Sequence[Path] = (), **variables: str) -> AsyncIterator[Host]:
    """Starts a host on a free port, with `path` in front of its import path; ends it with SIGTERM."""
    arguments = [part for game in games for part in ("--game", game)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT))), **variables}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.rules", *arguments, "--listen", "127.0.0.1:0"),
        stderr=asyncio.subprocess.PIPE,
        env=environ,
        cwd=ROOT,
    )
    lines: list[str] = []
    port = await asyncio.wait_for(_read_port(process, lines), 120)
    collector = asyncio.create_task(_collect(process, lines))
    try:
        yield Host(f"127.0.0.1:{port}", process, lines)
    finally:
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.wait(), 120)
        await collector


async def _read_port(process: asyncio.subprocess.Process, lines: list[str]) -> int:
    assert process.stderr is not None
    async for line in process.stderr:
        lines.append(line.decode())
        if '"serving"' in lines[-1]:
            return int(json.loads(lines[-1])["port"])
    raise AssertionError("the host did not start: " + "".join(lines))


async def _collect(process: asyncio.subprocess.Process, lines: list[str]) -> None:
    assert process.stderr is not None
    async for line in process.stderr:
        lines.append(line.decode())  # noqa: PERF401 - read while it grows
