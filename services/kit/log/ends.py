"""Where the feeds stand, as their servers say: for consumers that keep their own positions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from redis.exceptions import ResponseError

from services.kit.log import partitions
from services.kit.log.asking import meaning, refresh_cluster
from services.kit.log.entries import Unavailable
from services.kit.log.servers import NETWORK, Servers

START = "0"
"""The position before every pointer."""


@dataclass(frozen=True, slots=True)
class End:
    """A feed: positions of its last pointer ever and of the first that is still there ("0" for none).

    `is_trimmed` says that pointers before `first` were dropped.
    """

    last: str = START
    first: str = START
    is_trimmed: bool = False

    def lost_after(self, position: str) -> bool:
        """Whether pointers after this position may have been dropped, so that histories must be read instead."""
        return self.is_trimmed and is_after(self.first if self.first != START else self.last, position)


def is_after(one: str, other: str) -> bool:
    """Whether a position comes after another."""
    return _numbers(one) > _numbers(other)


async def feed_ends(servers: Servers, of: Iterable[int] = range(partitions.COUNT)) -> dict[int, End]:
    """Where the feeds of partitions stand. Raises Unavailable."""
    commands = {partition: ("XINFO", "STREAM", partitions.feed_key(partition)) for partition in of}
    replies = await _ask_all(servers, commands)
    return {partition: _end(reply) for partition, reply in replies.items()}


async def count_after(servers: Servers, positions: Mapping[int, str], most: int) -> int:
    """How many pointers follow these positions; of each partition `most` are counted. Raises Unavailable."""
    commands = {
        partition: ("XRANGE", partitions.feed_key(partition), f"({position}", "+", "COUNT", most)
        for partition, position in positions.items()
    }
    replies = await _ask_all(servers, commands)
    return sum(len(reply) for reply in replies.values() if isinstance(reply, list))


async def recreate_group(servers: Servers, group: str, positions: Mapping[int, str]) -> None:
    """Makes a group begin after these positions, whatever it remembers. Raises Unavailable.

    For the one consumer of a group that stores its positions with its output.
    """
    keys = {partition: partitions.feed_key(partition) for partition in positions}
    await _ask_all(servers, {p: ("XGROUP", "DESTROY", key, group) for p, key in keys.items()})
    made = await _ask_all(
        servers, {p: ("XGROUP", "CREATE", key, group, positions[p], "MKSTREAM") for p, key in keys.items()}
    )
    for reply in made.values():
        if isinstance(reply, ResponseError) and "BUSYGROUP" not in str(reply):
            raise meaning(reply)


async def _ask_all(servers: Servers, commands: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
    """The replies by partition, a refusal in place of a reply: one pipeline for each server."""
    replies = dict[int, Any]()
    for server in servers.all:
        mine = {p: command for p, command in commands.items() if servers.of(p) is server}
        pipe = server.client.pipeline(transaction=False)
        for command in mine.values():
            pipe.execute_command(*command)
        try:
            found = await pipe.execute(raise_on_error=False) if mine else []
        except NETWORK as error:
            await refresh_cluster(servers)
            raise Unavailable("the store did not say where its feeds stand") from error
        replies.update(zip(mine, found, strict=True))
    for reply in replies.values():
        if isinstance(reply, ResponseError) and isinstance(meant := meaning(reply), Unavailable):
            await refresh_cluster(servers)
            raise meant
    return replies


def _end(reply: Any) -> End:
    if isinstance(reply, ResponseError):  # no entry was ever recorded in this partition
        return End()
    told = dict(zip(reply[::2], reply[1::2], strict=True))
    first = told[b"first-entry"]
    last = told[b"last-generated-id"].decode()
    is_trimmed = told.get(b"entries-added", told[b"length"]) > told[b"length"]
    return End(last, first[0].decode() if first else START, is_trimmed)


def _numbers(position: str) -> tuple[int, int]:
    ms, _, number = position.partition("-")
    return int(ms), int(number or 0)
