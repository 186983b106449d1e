"""Sends commands that may be sent again to the server that has their partition, wherever it has moved."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from services.kit.log import library
from services.kit.log.entries import StorageLow, Unavailable
from services.kit.log.servers import NETWORK, Server, Servers

ATTEMPTS: Final = 5
"""How often a command is sent to a server that answers that it has not got the partition, or the functions."""


class FunctionMissing(Exception):
    """The server lacks the library; nothing was done."""


async def ask(servers: Servers, partition: int, *command: Any) -> Any:
    """The reply of a command that does nothing more when it is done twice, does not block and is answered briefly.

    Raises Unavailable, StorageLow, or the server's own ResponseError for a command that is wrong.
    """
    return await _ask(servers, partition, Server.ask, command)


async def ask_apart(servers: Servers, partition: int, *command: Any) -> Any:
    """The same for a command that blocks, or that is long or has a long answer."""
    return await _ask(servers, partition, Server.ask_apart, command)


async def _ask(servers: Servers, partition: int, way: Callable[..., Awaitable[Any]], command: tuple[Any, ...]) -> Any:
    for _ in range(ATTEMPTS):
        server = servers.of(partition)
        try:
            return await way(server, *command)
        except MovedError:
            await servers.refresh()
        except BusyLoadingError:
            raise Unavailable("the store is loading its data") from None
        except ResponseError as error:
            meant = meaning(error)
            if not isinstance(meant, FunctionMissing):
                raise meant from None
            await restore_library(server, servers.libraries)
        except NETWORK as error:
            await refresh_cluster(servers)
            raise Unavailable(f"the store did not answer ({type(error).__name__})") from error
    raise Unavailable("the store keeps moving this partition")


def meaning(error: ResponseError) -> Exception:
    """What a server that refused a command means; the error itself when the command is at fault."""
    if isinstance(error, OutOfMemoryError) or "MISCONF" in str(error):
        return StorageLow("the store has no memory or disk left for writes")
    if isinstance(error, AskError | ReadOnlyError | ClusterDownError | MasterDownError | TryAgainError):
        return Unavailable(f"the store cannot do this now ({type(error).__name__})")
    if "Function not found" in str(error):
        return FunctionMissing()
    return error


async def restore_library(server: Server, others: Mapping[str, bytes] = MappingProxyType({})) -> None:
    """Loads the functions that a server has lost. Raises Unavailable."""
    try:
        await library.ensure(server, others)
    except NETWORK as error:
        raise Unavailable(f"the store did not answer ({type(error).__name__})") from error


async def refresh_cluster(servers: Servers) -> None:
    """Asks a cluster anew who has what, after a server did not answer: another may have taken its place."""
    if servers.is_cluster:
        with contextlib.suppress(Unavailable):
            await servers.refresh()
