"""Runs `argosy` as scripts do, and says how it ended."""

import asyncio
import os
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Ended(NamedTuple):
    """The exit code of a command, and what it wrote to its two outputs."""

    code: int
    out: str
    err: str


async def argosy(*words: str, **environ: str) -> Ended:
    """Runs a command to its end, with nothing to read and no ARGOSY_* variables but these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway.cli", *words),
        cwd=ROOT,
        env=kept | environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())
