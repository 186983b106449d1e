"""The servers of the store: one, or the primaries of a cluster; each with its connections."""

import asyncio
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool, Connection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as TimedOut
from redis.maint_notifications import MaintNotificationsConfig

from services.kit.log import partitions
from services.kit.log.conversation import Conversation, OnLost, OnReply, open_conversation
from services.kit.log.entries import Unavailable
from services.kit.log.exchange import Exchange
from services.kit.settings import setting
from services.kit.startup import CannotStart

NETWORK: Final = (Disconnected, TimedOut, TimeoutError, OSError)
_SPACING: Final = 16384 // partitions.COUNT
_POOL: Final = 16
_PIPELINES: Final = 4  # connections beside, for pipelines, which take no turns


class Permit(enum.StrEnum):
    """What an operator may allow the store to lack; checks.py says what each costs."""

    EVERYSEC = "everysec"
    MEMORY_ONLY = "memory-only"
    EVICTING = "evicting"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """How a process reaches the store."""

    redis_url: str = setting(
        "redis://127.0.0.1:6379",
        "The store: redis://, rediss:// or unix:// address of a server, or of any node of a cluster.",
    )
    redis_replicas: int = setting(
        0, "Replicas that must have an entry before its OK; on a cluster all promotable ones."
    )
    redis_replicas_wait_s: float = setting(1.0, "How long replicas may take before UNCONFIRMED.", unit="s")
    redis_timeout_s: float = setting(10.0, "Deadline of every call to the store.", unit="s")
    redis_full: float = setting(
        0.85, "The share of a server's maxmemory beyond which no new matches and tickets are taken."
    )
    redis_folder: Path | None = setting(
        None, "The folder of a store on this machine, whose disk is watched too; empty for none."
    )
    redis_free_mib: int = setting(128, "What must be free on that disk for new matches and tickets.", unit="MiB")
    redis_permit: tuple[Permit, ...] = setting((), "What the store may lack: everysec, memory-only, evicting, hidden.")


class Server:
    """One server. `client` is for what its pipelines and cursors are good for; it never sends a command twice."""

    def __init__(self, address: str, client: Redis, kind: type[AbstractConnection], options: dict[str, Any]) -> None:
        self.address, self.client = address, client
        self._kind, self._options, self._timeout_s = kind, options, float(options["socket_timeout"])
        self._exchange = Exchange(self.converse, self._timeout_s)
        # The client's pool gives no turns: a caller that waits for a connection can be overtaken until its time is up.
        self._turns = asyncio.Semaphore(_POOL)

    async def ask(self, *command: Any) -> Any:
        """The reply, raw, of a command that does not block and is answered briefly: it shares its way with others."""
        return await self._exchange.ask(*command)

    async def ask_apart(self, *command: Any) -> Any:
        """The reply of a command that blocks, or that is long or has a long answer; raw where it reads entries."""
        async with self._turns:
            return await self.client.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py leaves it so

    async def converse(self, on_reply: OnReply, on_lost: OnLost) -> Conversation:
        """A connection of one's own, opened within the deadline of a call; what is said over it has none."""
        connection = self._kind(**{**self._options, "socket_timeout": None})
        return await open_conversation(connection, self._timeout_s, on_reply, on_lost)

    async def close(self) -> None:
        """Closes its connections, but for those of one's own."""
        await self._exchange.close()
        await self.client.aclose()
        await self.client.connection_pool.disconnect()


class Servers:
    """Knows which server has which partition."""

    def __init__(self, settings: RedisSettings) -> None:
        self._seed = _options(settings)
        self._by_address: dict[str, Server] = {}
        self._owners: list[Server] = []
        self._refreshing, self._refreshes = asyncio.Lock(), 0
        self.is_cluster = False
        self.libraries: dict[str, bytes] = {}
        """Functions beside the log's that every server must have, by name: loaded again where they are missing."""

    @property
    def all(self) -> tuple[Server, ...]:
        """Every server that has a partition."""
        return tuple({server.address: server for server in self._owners}.values())

    def of(self, partition: int) -> Server:
        """The server that has this partition, as far as known."""
        return self._owners[partition]

    def at(self, host: str, port: int) -> Server:
        """The server at this address."""
        return self._server({**self._seed, "host": host, "port": port})

    async def refresh(self) -> None:
        """Asks who has which partition; one call serves all who wait for it. Raises Unavailable when nobody answers."""
        seen = self._refreshes
        async with self._refreshing:
            if self._refreshes == seen:
                await self._refresh()
                self._refreshes += 1

    async def _refresh(self) -> None:
        failure: Exception | None = None
        for server in {id(server): server for server in (*self.all, self._server(self._seed))}.values():
            try:
                self._owners = await self._ask_owners(server)
            except (*NETWORK, RedisError, Unavailable) as error:
                failure = error
            else:
                return
        raise Unavailable("no server of the store says who has which partition") from failure

    async def close(self) -> None:
        """Closes all connections but those that somebody has for himself."""
        for server in self._by_address.values():
            await server.close()

    async def _ask_owners(self, server: Server) -> list[Server]:
        info = await server.client.info("cluster")
        self.is_cluster = bool(info.get("cluster_enabled"))
        if not self.is_cluster:
            return [server] * partitions.COUNT
        owners: list[Server | None] = [None] * partitions.COUNT
        for first, last, primary, *_ in await server.ask("CLUSTER", "SLOTS"):
            host = primary[0].decode() if primary[0] else self._seed["host"]
            owner = self.at(host, primary[1])
            for partition in partitions_between(first, last):
                owners[partition] = owner
        found = [owner for owner in owners if owner]
        if len(found) < partitions.COUNT:
            raise Unavailable("the cluster does not cover all slots")
        return found

    def _server(self, options: dict[str, Any]) -> Server:
        address = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
        if address not in self._by_address:
            self._by_address[address] = _open(address, options)
        return self._by_address[address]


def partitions_between(first: int, last: int) -> Iterator[int]:
    """The partitions whose slot, 64 p + 32, is in this range of slots, bounds included."""
    return (p for p in range(partitions.COUNT) if first <= p * _SPACING + _SPACING // 2 <= last)


def _options(settings: RedisSettings) -> dict[str, Any]:
    try:
        options = dict(parse_url(settings.redis_url))
    except ValueError:
        raise CannotStart("ARGOSY_REDIS_URL must begin with redis://, rediss:// or unix://") from None
    return options | {
        "socket_timeout": settings.redis_timeout_s,
        "socket_connect_timeout": min(settings.redis_timeout_s, 5.0),
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def _open(address: str, options: Mapping[str, Any]) -> Server:
    kwargs = dict(options)
    kind: type[AbstractConnection] = kwargs.pop("connection_class", Connection)
    timeout = kwargs["socket_timeout"]
    pool = BlockingConnectionPool(max_connections=_POOL + _PIPELINES, timeout=timeout, connection_class=kind, **kwargs)
    client: Redis = Redis(connection_pool=pool)
    for command in ("XRANGE", "XREADGROUP"):
        client.set_response_callback(command, _raw)  # type: ignore[arg-type]  # the protocol names its argument
    return Server(address, client, kind, {k: v for k, v in kwargs.items() if k != "maint_notifications_config"})


def _raw(reply: Any, **_: Any) -> Any:
    """Leaves the reply as it came: entries are bytes, and reading them is measured."""
    return reply
