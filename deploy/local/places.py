"""Where a platform's processes listen: its public port, and a folder for the sockets that only this machine sees."""

import contextlib
import hashlib
import os
import shutil
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from services.kit.startup import CannotStart

CAN_SHARE: Final = sys.platform == "linux"  # elsewhere connections would not be dealt out
_PORT_PATIENCE_S: Final = 2.0  # a gateway that has just lost its supervisor is on its way out
_LONGEST_SOCKET_FOLDER: Final = 60  # bytes: a socket's whole path has about 100


def free_address(listen: str) -> str:
    """The address, with a free port where it names port 0. Raises CannotStart when nobody can listen there."""
    taken, address = _taken(listen)
    taken.close()
    return address


@contextlib.contextmanager
def held_address(listen: str, gateways: int) -> Iterator[str]:
    """The address for this many gateways, a free port taken where it names port 0. Raises CannotStart.

    They share it with this process (SO_REUSEPORT), where the port stays bound: nobody else can take it, not for a
    moment, and another platform finds it taken, although it too would share its own. That works on Linux only.
    """
    if not CAN_SHARE:
        if gateways > 1:
            raise CannotStart("several gateways can share a port on Linux only")
        yield free_address(listen)
        return
    taken, address = _taken(listen)
    with taken:  # bound alone, so that of two platforms one fails; shared only now; connections go to who listens
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        yield address


def _taken(listen: str) -> tuple[socket.socket, str]:
    """A socket bound to the address, and the address with its port."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or int(port) > 65_535:
        raise CannotStart(f"{listen!r} is no address: HOST:PORT is one")
    deadline = time.monotonic() + _PORT_PATIENCE_S
    while True:
        try:
            bound = _bound(host.strip("[]"), int(port))
        except OSError:
            if time.monotonic() > deadline:
                told = f"cannot listen on {listen}: the port is taken or the address not this machine's"
                raise CannotStart(told) from None
            time.sleep(0.1)
        else:
            return bound, f"{host}:{bound.getsockname()[1]}"


def _bound(host: str, port: int) -> socket.socket:
    family, kind, _, _, target = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    trial = socket.socket(family, kind)
    try:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(target)
    except OSError:
        trial.close()
        raise
    return trial


@contextlib.contextmanager
def socket_folder(data: Path) -> Iterator[Path]:
    """A folder for the sockets of this platform, which only its owner may enter; elsewhere where its path is long."""
    folder = data / "run"
    if len(os.fsencode(folder)) > _LONGEST_SOCKET_FOLDER:
        elsewhere = short_folder(data)
        try:
            yield elsewhere
        finally:
            shutil.rmtree(elsewhere, ignore_errors=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    yield folder


def short_folder(data: Path) -> Path:
    """A folder with a short path for the sockets of this data directory, always the same one: a kill leaves one behind.

    Raises CannotStart when somebody else has a folder or link of that name.
    """
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"argosy-{name}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not _is_ours(folder.lstat()):
        raise CannotStart(f"{folder} is for our sockets and belongs to somebody else: remove it, or set TMPDIR")
    return folder


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700
