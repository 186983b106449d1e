"""The feed: pointers to new entries for the consumer groups of matchmaking and replay.

Each partition has a feed of its own. A consumer sees every pointer at least once, those of one match in order.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from redis.exceptions import AskError, ResponseError

from services.kit.log import ids, library, partitions
from services.kit.log.asking import ask, ask_apart, refresh_cluster
from services.kit.log.entries import Unavailable
from services.kit.log.servers import NETWORK, Server, Servers

_BLOCK_S: Final = 5.0  # stays below the deadline of a call
_POLL_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Pointer:
    """An entry was recorded. `position` is the pointer's own id in the partition's feed, to be acknowledged."""

    partition: int
    position: str
    match: bytes
    version: int


class GroupLost(Exception):
    """A group does not exist: create it at the position that the consumer stored with its own output."""

    def __init__(self, partition: int) -> None:
        super().__init__(f"partition {partition} has no such consumer group")
        self.partition = partition


class GroupMissing(Exception):
    """A feed was not trimmed, since a group that must read it does not exist."""


class Feed:
    """Reads the feeds of some partitions as one consumer of one group."""

    def __init__(
        self, servers: Servers, group: str, consumer: str, of: Iterable[int] = range(partitions.COUNT)
    ) -> None:
        self._servers, self._group, self._consumer = servers, group, consumer
        self._partitions = tuple(of)

    async def create(self, positions: Mapping[int, str] | None = None) -> None:
        """Creates the group where it is missing, at the consumer's own stored position, else at the beginning."""
        for partition in self._partitions:
            start = (positions or {}).get(partition, "0")
            try:
                key = partitions.feed_key(partition)
                await ask(self._servers, partition, "XGROUP", "CREATE", key, self._group, start, "MKSTREAM")
            except ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    async def read(self, count: int, wait_s: float = _BLOCK_S) -> list[Pointer]:
        """New pointers: at most `count` of each partition; none after `wait_s` (at most 5 s) without any.

        Raises GroupLost.
        """
        wait_s = min(wait_s, _BLOCK_S)
        if self._servers.is_cluster:
            return await self._poll(count, wait_s)
        return await self._read_keys(self._partitions, count, wait_s)

    async def read_pending(self, partition: int, count: int, after: str = "0") -> list[Pointer]:
        """Pointers that this consumer was given after this position and has not acknowledged: read after a start."""
        command = self._command(count, (partition,), after, ())
        return await self._ask(command, (partition,))

    async def acknowledge(self, pointers: Iterable[Pointer]) -> None:
        """Marks the pointers as consumed and their effect stored. Idempotent."""
        by_partition: dict[int, list[str]] = {}
        for pointer in pointers:
            by_partition.setdefault(pointer.partition, []).append(pointer.position)
        for partition, positions in by_partition.items():
            await ask(self._servers, partition, "XACK", partitions.feed_key(partition), self._group, *positions)

    async def _poll(self, count: int, wait_s: float) -> list[Pointer]:
        # One XREADGROUP cannot span a cluster's slots, so each partition is asked without blocking.
        deadline = asyncio.get_running_loop().time() + wait_s
        while True:
            found = [pointer for server in self._servers.all for pointer in await self._poll_server(server, count)]
            if found or asyncio.get_running_loop().time() >= deadline:
                return found
            await asyncio.sleep(_POLL_S)

    async def _poll_server(self, server: Server, count: int) -> list[Pointer]:
        of = [partition for partition in self._partitions if self._servers.of(partition) is server]
        pipe = server.client.pipeline(transaction=False)
        for partition in of:
            pipe.execute_command(*self._command(count, (partition,), ">", ()))
        try:
            replies = await pipe.execute(raise_on_error=False)
        except NETWORK as error:
            await refresh_cluster(self._servers)
            raise Unavailable("the store did not say what is new") from error
        found = []
        for partition, reply in zip(of, replies, strict=True):
            if isinstance(reply, AskError):  # it moves, or has moved: the next turn finds it
                await refresh_cluster(self._servers)
            elif isinstance(reply, ResponseError):
                raise _lost((partition,), reply) from None
            else:
                found += _pointers_of(reply)
        return found

    async def _read_keys(self, of: tuple[int, ...], count: int, wait_s: float) -> list[Pointer]:
        block = ("BLOCK", int(wait_s * 1000)) if wait_s else ()
        return await self._ask(self._command(count, of, ">", block), of)

    def _command(self, count: int, of: tuple[int, ...], after: str, block: tuple[Any, ...]) -> tuple[Any, ...]:
        keys = [partitions.feed_key(partition) for partition in of]
        head = ("XREADGROUP", "GROUP", self._group, self._consumer, "COUNT", count, *block, "STREAMS")
        return (*head, *keys, *[after] * len(keys))

    async def _ask(self, command: tuple[Any, ...], of: tuple[int, ...]) -> list[Pointer]:
        try:
            reply = await ask_apart(self._servers, of[0], *command)
        except ResponseError as error:
            raise _lost(of, error) from None
        return _pointers_of(reply)


async def trim(servers: Servers, partition: int, groups: Iterable[str]) -> int:
    """Drops the pointers that all groups have acknowledged, and says how many. `groups` are those that must exist.

    Raises GroupMissing.
    """
    code, value = await ask(servers, partition, "FCALL", library.TRIM, 1, partitions.feed_key(partition), *groups)
    if code != b"OK":
        raise GroupMissing(f"partition {partition}: group {value.decode()}")
    return int(value)


async def rebuild(servers: Servers, is_wanted: Callable[[bytes], bool] = lambda _: True) -> int:
    """Points once more to every entry of every history (of the matches wanted), and says to how many entries."""
    count = 0
    for server in servers.all:
        async for key in server.client.scan_iter(match="{p*}:match:*", count=1000, _type="STREAM"):
            match = ids.from_text(key.decode().rsplit(":", 1)[1])
            if is_wanted(match):
                keys = partitions.keys_of(match)
                command = ("FCALL", library.REFEED, 2, keys.history, keys.feed, ids.to_text(match))
                count += int((await ask(servers, match[0], *command))[1])
    return count


def _lost(of: Iterable[int], error: ResponseError) -> Exception:
    """What a refused reading means: of which of the partitions the group is lost, or the error itself."""
    if "NOGROUP" not in str(error):
        return error
    named = [partition for partition in of if partitions.feed_key(partition) in str(error)]
    return GroupLost(named[0]) if named else error


def _pointers_of(reply: Any) -> list[Pointer]:
    return [pointer for key, items in reply or () for pointer in _pointers(key, items)]


def _pointers(key: bytes, items: Iterable[Any]) -> list[Pointer]:
    partition = partitions.partition_of_key(key)
    told = [(position, fields[1].decode().split(":")) for position, fields in items if fields]
    return [Pointer(partition, at.decode(), ids.from_text(match), int(version)) for at, (match, version) in told]
