"""A Postgres server of our own for tests, where its programs are installed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_UNPRIVILEGED = "nobody"  # Postgres refuses to run as root


def programs() -> Path | None:
    """The folder of Postgres' programs, None where they are missing."""
    places = [Path(found).resolve().parent] if (found := shutil.which("postgres")) else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def running(bin_folder: Path) -> Iterator[str]:
    """The URL of a fresh server on a socket in a folder of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="argosy-pg-") as folder:
        user = _owner(Path(folder))
        data = Path(folder) / "data"
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        _run(["initdb", "-D", str(data), "-U", "argosy", "-A", "trust", "-N"], bin_folder, user)
        _run(["pg_ctl", "-D", str(data), "-w", "-l", f"{folder}/log", "-o", options, "start"], bin_folder, user)
        try:
            yield f"postgresql://argosy@/postgres?host={folder}"
        finally:
            _run(["pg_ctl", "-D", str(data), "-m", "immediate", "stop"], bin_folder, user)


def _owner(folder: Path) -> str | None:
    """Gives the folder to a user who may run Postgres; None for ourselves."""
    if os.getuid() != 0:
        return None
    entry = pwd.getpwnam(_UNPRIVILEGED)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return _UNPRIVILEGED


def _run(command: Sequence[str], bin_folder: Path, user: str | None) -> None:
    program, *arguments = command
    subprocess.run(  # noqa: S603 - programs found above, arguments of ours
        [bin_folder / program, *arguments],
        user=user,
        cwd="/",
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
    )
