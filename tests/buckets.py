"""A real server of the S3 protocol for tests: rclone's, on a folder. It may be killed and started again.

It remembers sizes: stop it before you change a file in its folder.
"""

import contextlib
import re
import shutil
import signal
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

BUCKET = "argosy"
ACCESS, SECRET = "tests-access", "tests-secret-key"


class Bucket:
    """One bucket and its server. `files` is the folder of its objects."""

    def __init__(self, folder: Path) -> None:
        self.files, self._folder, self._port = folder / "buckets" / BUCKET, folder, 0
        self.files.mkdir(parents=True)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def variables(self) -> dict[str, str]:
        """What a process needs beside the URL, as `obstore` and other clients of S3 read it."""
        return {
            "AWS_ACCESS_KEY_ID": ACCESS,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ALLOW_HTTP": "true",
        }

    def place(self) -> tuple[str, int]:
        """Where it serves."""
        return "127.0.0.1", self._port

    def start(self) -> None:
        """Starts the server, on the port that it had, and waits until it serves."""
        told = self._folder / "rclone.log"
        words = [_program(), "serve", "s3", "--config", "", "--addr", f"127.0.0.1:{self._port}"]
        words += ["--auth-key", f"{ACCESS},{SECRET}", str(self.files.parent)]
        with told.open("wb") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        while not (serving := re.search(r"server on \[?http://127\.0\.0\.1:(\d+)", told.read_text())):
            assert self._process.poll() is None, told.read_text()
            time.sleep(0.05)
        self._port = int(serving[1])

    def kill(self) -> None:
        """kill -9."""
        assert self._process, "the server is not running"
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        if self._process:
            self.kill()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Bucket]:
    """A bucket whose server ends with the block."""
    bucket = Bucket(folder)
    try:
        yield bucket
    finally:
        bucket.stop()


def _program() -> str:
    found = Path(sysconfig.get_path("scripts")) / "rclone"
    return str(found if found.exists() else shutil.which("rclone"))
