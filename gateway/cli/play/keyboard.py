"""Lines typed at the terminal, while other things go on."""

import asyncio
import os
import threading
from typing import Final

_AT_ONCE: Final = 4096


class Keyboard:
    """The lines of standard input. A thread of its own waits for them and keeps nobody from leaving."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True, name="keyboard").start()

    async def line(self) -> str | None:
        """The next line without its end; None when there will be no more."""
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line

    def _read(self) -> None:
        rest = b""
        try:
            while data := os.read(self._descriptor, _AT_ONCE):
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._give(line.decode(errors="replace").rstrip("\r"))
        except OSError:  # the terminal is gone
            pass
        if rest:
            self._give(rest.decode(errors="replace"))
        self._give(None)

    def _give(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # nobody listens any more
            return
