"""Ports for servers of tests that must come back at the same one."""

import contextlib
import random
import socket

# Below what systems hand out by themselves (Linux: from 32768): nothing else takes one while its server is away.
_FIRST, _LAST = 12_000, 31_999


def free_port() -> int:
    """A port that is free, and the one after it as well."""
    while True:
        port = random.randrange(_FIRST, _LAST, 2)
        with socket.socket() as one, socket.socket() as next_one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            next_one.bind(("127.0.0.1", port + 1))
            return port
