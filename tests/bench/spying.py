"""py-spy on one process while moves are measured: which areas of its code its event loop is seen in."""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

RATE_HZ = 250
_SPY = Path(sys.executable).with_name("py-spy")
_PATIENCE_S = 60.0

LOOP, WRITES = "gRPC on the loop, and the loop itself", "stream writes"
RULES, SEALING = "rules: asking, deciding", "sealing: parts, chain, redaction"
RECORDING, TELLING, REST = "recording and appending", "telling viewers", "all else of ours"
AREAS = (LOOP, WRITES, RULES, SEALING, RECORDING, TELLING, REST)
"""What the loop's time is divided into; each sample counts once, by its innermost frame that is in `_PLACES`."""

_PLACES = (
    ("write_all (services/kit/interceptor.py", WRITES),
    ("(services/kit/interceptor.py", LOOP),
    ("(services/kit/host.py", LOOP),
    ("(services/kit/startup.py", LOOP),
    ("(gateway/__main__.py", LOOP),
    *((f"(services/match/{name}.py", RULES) for name in ("deciding", "lines", "rules")),
    *((f"(services/kit/{name}.py", SEALING) for name in ("parts", "chain", "redaction", "merkle", "signatures")),
    *((f"(services/match/{name}.py", RECORDING) for name in ("recording", "snapshots", "drafts")),
    ("(services/kit/log/", RECORDING),
    *((f"(gateway/matches/{name}.py", TELLING) for name in ("following", "followed", "shapes", "sinks", "play")),
    *((f"(gateway/matches/{name}.py", TELLING) for name in ("streams", "stored")),
    *((f"(services/match/{name}.py", TELLING) for name in ("viewers", "book")),
    ("(services/", REST),
    ("(gateway/", REST),
)


class Refused(RuntimeError):
    """py-spy may not look into the process, or is not there; the text is its own."""


def area_of(stack: str) -> str:
    """The area of a stack as py-spy writes it: its frames outermost first, parted by semicolons."""
    for frame in reversed(stack.split(";")):
        for place, area in _PLACES:
            if place in frame:
                return area
    return LOOP


def count(lines: Iterable[str], thread: int) -> Counter[str]:
    """Samples of one thread by area, from lines `STACK COUNT` in which each stack begins with its thread."""
    found = Counter[str]()
    for line in lines:
        stack, _, samples = line.rpartition(" ")
        if stack.startswith(f"thread ({thread})"):
            found[area_of(stack)] += int(samples)
    return found


@contextlib.asynccontextmanager
async def spying(pid: int) -> AsyncIterator[Counter[str]]:
    """Counts, from when it samples until the block ends, the samples of the process's first thread. Raises Refused."""
    found = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="spy-") as folder:
        path = Path(folder) / "stacks"
        spy = await _start(pid, path)
        try:
            yield found
        finally:
            with contextlib.suppress(ProcessLookupError):  # Ctrl-C has ended it too
                spy.send_signal(signal.SIGINT)
            async with asyncio.timeout(_PATIENCE_S):
                await spy.communicate()
        if path.exists():  # it writes none where it has seen nothing but idleness
            found.update(count(path.read_text().splitlines(), pid))


async def _start(pid: int, path: Path) -> asyncio.subprocess.Process:
    """py-spy, once it has read the process's symbols and takes samples."""
    if not _SPY.exists():
        raise Refused(f"there is no {_SPY.name} beside this Python")
    arguments = ("record", "--pid", str(pid), "--rate", str(RATE_HZ), "--threads", "--format", "raw")
    spy = await asyncio.create_subprocess_exec(
        *(str(_SPY), *arguments, "--duration", "600", "--output", str(path)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "RUST_BACKTRACE": "0"},
    )
    assert spy.stdout is not None
    said = b""
    async with asyncio.timeout(_PATIENCE_S):
        while b"Sampling process" not in said:
            line = await spy.stdout.readline()
            if not line:
                await spy.wait()
                raise Refused(said.decode(errors="replace").strip().replace("\n", " ") or "py-spy has ended")
            said += line
    return spy
