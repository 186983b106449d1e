"""Child processes: started tied to this one, watched, started again when they crash, stopped with time to finish."""

import asyncio
import os
import shutil
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deploy.local.valkey import tethered
from services.kit.startup import EXIT_CODE, CannotStart

Say = Callable[[str], None]
"""Told, in a sentence, what an operator would want to know."""

_POLL_S: Final = 0.05
_PATIENCE_S: Final = 10.0  # then one is told what is waited for
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 10.0
_STEADY_S: Final = 30.0  # a child that ran so long starts again at once
_LARGEST_LOG: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Process:
    """How to run one process. `environ` is what it gets beside everything that is not Argosy's.

    `is_ready` is asked until it says so; loading may take any time. At the end it has `grace_s` after SIGTERM.
    """

    name: str
    argv: tuple[str, ...]
    is_ready: Callable[[], Awaitable[bool]]
    environ: Mapping[str, str] = field(default_factory=dict)
    pass_fds: tuple[int, ...] = ()
    grace_s: float = 15.0
    mend: Callable[[Path], Awaitable[str]] | None = None
    """Given its log after it ended unasked, says what it has mended; "" for nothing."""


class Child:
    """One process, kept running."""

    def __init__(self, process: Process, logs: Path, say: Say) -> None:
        self._process, self._say = process, say
        self._log = logs / f"{process.name}.log"
        self._running: asyncio.subprocess.Process | None = None
        self._is_stopping = False

    @property
    def name(self) -> str:
        """The process's name."""
        return self._process.name

    @property
    def pid(self) -> int | None:
        """Its id while it runs."""
        return self._running.pid if self._running else None

    async def start(self) -> None:
        """Starts the process and waits until it is ready. Raises CannotStart, with its last words, if it ends first."""
        while True:
            self._running = await self._spawn()
            if await self._wait_ready(self._running):
                return
            if not await self._mend():
                raise CannotStart(self._last_words(self._running.returncode or 0))

    async def keep(self) -> None:
        """Starts it again whenever it ends, until it is stopped."""
        pause = _FIRST_PAUSE_S
        while self._running is not None:
            begun = asyncio.get_running_loop().time()
            code = await self._running.wait()
            if self._is_stopping:
                return
            if asyncio.get_running_loop().time() - begun > _STEADY_S:
                pause = _FIRST_PAUSE_S
            self._say(f"{self.name} ended ({_told(code)}) and starts again in {pause:g} s; its log is {self._log}")
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)
            if not self._is_stopping:
                await self._mend()
                self._running = await self._spawn()

    async def stop(self) -> None:
        """Asks it to end, and waits; kills it when its time is over."""
        self._is_stopping = True
        process = self._running
        if process is None or process.returncode is not None:
            return
        _send(process, signal.SIGTERM)
        try:
            async with asyncio.timeout(self._process.grace_s):
                await process.wait()
        except TimeoutError:
            self._say(f"{self.name} did not end within {self._process.grace_s:g} s and is killed")
            _send(process, signal.SIGKILL)
            await process.wait()

    def kill(self) -> None:
        """Ends it at once, as a crash would."""
        if self._running:
            _send(self._running, signal.SIGKILL)

    def trim_log(self) -> None:
        """Moves a log that has grown large aside; the process, which appends, goes on at its beginning."""
        if self._log.exists() and self._log.stat().st_size > _LARGEST_LOG:
            shutil.copyfile(self._log, self._log.with_suffix(".log.1"))
            os.truncate(self._log, 0)

    async def _spawn(self) -> asyncio.subprocess.Process:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
        with self._log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *tethered(*self._process.argv),
                # gRPC would log each handshake that fails, and anybody can make them fail
                env={"GRPC_VERBOSITY": "ERROR", **kept, **self._process.environ},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self._process.pass_fds,
                start_new_session=True,  # Ctrl-C reaches us alone: the order in which they end is ours
            )

    async def _mend(self) -> bool:
        told = await self._process.mend(self._log) if self._process.mend else ""
        if told:
            self._say(told)
        return bool(told)

    async def _wait_ready(self, process: asyncio.subprocess.Process) -> bool:
        """True once it is ready; false if it ends before."""
        loop = asyncio.get_running_loop()
        told = loop.time()
        while not await self._process.is_ready():
            if process.returncode is not None:
                return False
            if loop.time() - told > _PATIENCE_S:
                told = loop.time()
                self._say(f"still waiting for {self.name}; its log is {self._log}")
            await asyncio.sleep(_POLL_S)
        return True

    def _last_words(self, code: int) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines() or [""]
        if code == EXIT_CODE and lines[-1]:
            return f"{self.name}: {lines[-1]}"
        return f"{self.name} ended while starting ({_told(code)}): {lines[-1]} (see {self._log})"


def _told(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
