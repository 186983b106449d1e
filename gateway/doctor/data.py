"""The data directory: who may read it, and how much space its disk has."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from gateway.doctor.findings import Finding, fault, ok, warning

_MIB: Final = 1024 * 1024
_SECRET: Final = ("keys.json", "bots.key")
_PRIVATE: Final = ("accounts.db", "library.db", "valkey", "archive")


def look(folder: Path, least_mib: int) -> Iterator[Finding]:
    """What is found about the directory. `least_mib` is below what new matches are refused."""
    if not folder.is_dir():
        yield fault("data directory", f"there is no {folder}", "nothing to look at", "name it with --data")
        return
    yield _owner(folder)
    others = folder.stat().st_mode & 0o077
    if others:
        costs = "others on this machine may list it, and read what is readable in it"
        yield warning("data directory", f"mode {_mode(folder)}", costs, f"chmod 700 {folder}")
    else:
        yield ok("data directory", f"mode {_mode(folder)}")
    for name in _SECRET:
        if (folder / name).exists():
            yield _secret(folder / name)
    for name in _PRIVATE:
        path = folder / name
        if others and path.exists() and path.stat().st_mode & 0o004:
            costs = "everybody on this machine may read hands, names or hashes"
            yield warning(name, f"mode {_mode(path)}", costs, f"chmod go-rwx {path}")
    yield _disk(folder, least_mib)


def read_positions(folder: Path) -> dict[int, str]:
    """How far the library in this directory has read the feed of each partition; nothing where there is none."""
    path = folder / "library.db"
    if not path.is_file():
        return {}
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as library:
            return dict(library.execute("SELECT home, position FROM feed_positions"))
    except sqlite3.Error:  # another program's, or made by an older one
        return {}


def _owner(folder: Path) -> Finding:
    owner = folder.stat().st_uid
    if owner != os.getuid() and os.getuid() != 0:
        return fault(
            "owner", f"user {owner}, not {os.getuid()}", "it cannot be used", f"run as user {owner}, or chown it"
        )
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return fault("owner", "it cannot be written", "nothing can be kept", f"chmod u+rwx {folder}")
    return ok("owner", f"user {owner}")


def _secret(path: Path) -> Finding:
    if path.stat().st_mode & 0o077:
        costs = "whoever reads it can sign in as anybody, or sign as the platform"
        return fault(path.name, f"mode {_mode(path)}", costs, f"chmod 600 {path}, and make new ones if it was read")
    return ok(path.name, f"mode {_mode(path)}")


def _disk(folder: Path, least_mib: int) -> Finding:
    usage = shutil.disk_usage(folder)
    found = f"{usage.free // _MIB} of {usage.total // _MIB} MiB free"
    if usage.free < least_mib * _MIB:
        costs = "new matches are refused; with nothing left the store refuses every action"
        return fault("disk", found, costs, "make room, or move the directory")
    if usage.free < usage.total // 10:
        return warning("disk", found, f"new matches are refused below {least_mib} MiB", "make room")
    return ok("disk", found)


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"
