"""Real stores for tests: the embedded Valkey, and Redis where it is installed, configured as by `argosy up`."""

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.local import valkey

MEMORY = 256 * 1024 * 1024


class Store:
    """A server on a directory of its own. It may be killed and started again on the same data."""

    def __init__(
        self, folder: Path, program: str | None = None, maxmemory: int = MEMORY, arguments: Sequence[str] = ()
    ) -> None:
        self.folder, self._program, self._maxmemory, self._arguments = folder, program, maxmemory, arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self.start()

    @property
    def pid(self) -> int:
        assert self._process, "the server is not running"
        return self._process.pid

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        launch = valkey.prepare(self.folder, program=self._program, maxmemory=self._maxmemory)
        self.url = launch.url
        with (self.folder / "log.txt").open("ab") as log:
            self._process = subprocess.Popen(
                valkey.tethered(*launch.program, *self._arguments), stdout=log, stderr=log, pass_fds=(launch.lock,)
            )
        self._launch = launch
        while not _serves(launch.socket):
            assert self._process.poll() is None, (self.folder / "log.txt").read_text()
            time.sleep(0.02)

    def kill(self, signal_number: int = signal.SIGKILL) -> None:
        """Sends the signal; after one that ends the server, waits until it has ended."""
        assert self._process, "the server is not running"
        self._process.send_signal(signal_number)
        if signal_number in {signal.SIGKILL, signal.SIGTERM}:
            self._process.wait()
            self._process = None
            self._launch.release()

    def wait(self) -> int:
        """Waits until the server has ended by itself; its exit code."""
        assert self._process, "the server is not running"
        code = self._process.wait()
        self._process = None
        self._launch.release()
        return code

    def stop(self) -> None:
        if self._process:
            self.kill(signal.SIGCONT)
            self.kill(signal.SIGTERM)


@contextmanager
def running(program: str | None = None, maxmemory: int = MEMORY, arguments: Sequence[str] = ()) -> Iterator[Store]:
    """A store that is gone, with its data, at the end."""
    with tempfile.TemporaryDirectory(prefix="store-") as folder:
        store = Store(Path(folder), program, maxmemory, arguments)
        try:
            yield store
        finally:
            store.stop()


def redis_program() -> str | None:
    """Redis's server, where it is installed."""
    return shutil.which("redis-server")


def _serves(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(100).startswith(b"+PONG")
    except OSError:
        return False
