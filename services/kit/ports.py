"""Where the servers of a process listen."""

import errno
import socket
import sys
from collections.abc import Sequence
from typing import Any, Final

import grpc

from services.kit.startup import CannotStart

_UNIX: Final = "unix:"


def can_share(address: str) -> bool:
    """Whether the system deals the connections to this address out among several that listen there."""
    return sys.platform == "linux" and not address.startswith(_UNIX)


def listen(
    servers: Sequence[grpc.aio.Server],
    address: str,
    credentials: grpc.ServerCredentials | None = None,
    *,
    is_shared: bool = False,
) -> int:
    """Lets the servers listen at the address, `unix:PATH` or HOST:PORT; its port. Raises CannotStart where it cannot.

    Several servers, and other processes where it `is_shared`, must have the option of gRPC for that.
    """
    if not address.startswith(_UNIX):
        _try_binding(address, is_shared=is_shared)
    port = _bind(servers[0], address, credentials)
    for server in servers[1:]:
        _bind(server, f"{address.rpartition(':')[0]}:{port}", credentials)
    return port


def _bind(server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials | None) -> int:
    try:
        return server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    except RuntimeError:
        raise CannotStart(
            f"cannot listen on {address}: the port is taken or the address is not this machine's"
        ) from None


def _try_binding(address: str, *, is_shared: bool) -> None:
    """Raises CannotStart with the system's reason, where gRPC would write its own to stderr and not tell us.

    A name may stand for addresses of which this machine has only some; a port must be free at all that it has.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or int(port) > 65535:
        raise CannotStart(f"cannot listen on {address!r}: it is no HOST:PORT")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        tries = (_bind_error(family, target, is_shared=is_shared) for family, _, _, _, target in found)
        failures = [error for error in tries if error is not None]
        if len(failures) == len(found) or any(error.errno == errno.EADDRINUSE for error in failures):
            raise failures[-1]
    except OSError as error:
        raise CannotStart(f"cannot listen on {address}: {error.strerror}") from None


def _bind_error(family: int, target: Any, *, is_shared: bool) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if is_shared:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            probe.bind(target)
            if not is_shared:  # else it would be dealt connections, and lose them
                probe.listen(1)
    except OSError as error:
        return error
    return None
