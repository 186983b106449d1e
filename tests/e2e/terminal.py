"""A program on a terminal of its own, typed at and read like a person would."""

import asyncio
import contextlib
import os
import pty
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PATIENCE_S = 120.0


class Terminal:
    """What the program has written, colours apart, and a place to type."""

    def __init__(self, process: asyncio.subprocess.Process, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor
        self._text, self._seen = "", 0
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    @property
    def text(self) -> str:
        """Everything so far."""
        return _COLOURS.sub("", self._text).replace("\r\n", "\n")

    async def expect(self, pattern: str) -> str:
        """Waits for what was not expected before; what was written up to its end."""
        async with asyncio.timeout(PATIENCE_S):
            while (found := re.search(pattern, self.text[self._seen :])) is None:
                assert self._process.returncode is None, f"{pattern!r} never came:\n{self.text[-3000:]}"
                self._more.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._more.wait(), 0.5)
        told = self.text[self._seen : self._seen + found.end()]
        self._seen += found.end()
        return told

    def type(self, line: str) -> None:
        """Types a line."""
        os.write(self._descriptor, line.encode() + b"\n")

    async def end(self, signal_number: signal.Signals | None = None) -> int:
        """Waits for its end, asked for by a signal if one is given; the exit code."""
        if signal_number is not None:
            self._process.send_signal(signal_number)
        async with asyncio.timeout(PATIENCE_S):
            code = await self._process.wait()
        self._read()
        return code

    async def close(self) -> None:
        """Ends what still runs."""
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:  # the program is gone
            asyncio.get_running_loop().remove_reader(self._descriptor)
            data = b""
        self._text += data.decode(errors="replace")
        self._more.set()


@contextlib.asynccontextmanager
async def argosy(home: Path, *words: str, environ: Mapping[str, str] | None = None) -> AsyncIterator[Terminal]:
    """`argosy` with these words, for a person with this home folder."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway.cli", *words),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env={**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "TERM": "xterm", **(environ or {})},
        start_new_session=True,
    )
    os.close(theirs)
    terminal = Terminal(process, ours)
    try:
        yield terminal
    finally:
        await terminal.close()
