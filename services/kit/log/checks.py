"""What a server must be and be set to before a process serves from it.

Also the store's own marks: a format version, which an older program refuses, and a generation, which a restore raises.
"""

from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import AuthenticationError, BusyLoadingError, NoPermissionError, ResponseError

from services.kit.log import library, partitions
from services.kit.log.entries import Unavailable
from services.kit.log.servers import NETWORK, Permit, RedisSettings, Servers
from services.kit.startup import CannotStart

FORMAT: Final = 1
"""The store's format that this program reads and writes."""

WANTED: Final = {
    "maxmemory-policy": ("noeviction", Permit.EVICTING, "live matches vanish when memory is short"),
    "appendonly": ("yes", Permit.MEMORY_ONLY, "every match is lost when the server stops"),
    "appendfsync": ("always", Permit.EVERYSEC, "acknowledged actions of the last second are lost with the power"),
}
"""Of each setting that entries depend on: what it must be, what permits another value, and what that costs."""


class Unreachable(CannotStart):
    """The server cannot be reached, or lets us not in."""


class TooOld(CannotStart):
    """The server is older than Redis 7.0 or Valkey 7.2."""


class Misconfigured(CannotStart):
    """A setting of the server would lose entries."""


class Evicting(Misconfigured):
    """The server drops keys when its memory is full."""


class NewerStore(CannotStart):
    """The store was written by a newer program."""


@dataclass(frozen=True, slots=True)
class Store:
    """What was found out about the store. `costs` are the consequences of what its operator permitted."""

    software: str
    generation: int
    costs: tuple[str, ...]


async def check_store(servers: Servers, settings: RedisSettings) -> Store:
    """Checks every server, opens the store and loads the functions. Raises CannotStart's kinds."""
    try:
        await servers.refresh()
    except Unavailable as error:
        cause = error.__cause__
        reason = type(cause).__name__ if isinstance(cause, NETWORK) else str(error)
        raise Unreachable(f"no store answers at ARGOSY_REDIS_URL ({reason})") from None
    found = [await check_server(server.client, settings, server.address) for server in servers.all]
    try:
        generation = await open_store(servers.of(0).client)
        for server in servers.all:
            await library.ensure(server)
    except ResponseError as error:
        raise Misconfigured(f"the store does not let us load functions or write ({error})") from None
    costs = dict.fromkeys(cost for _, lacks in found for cost in lacks)
    return Store(found[0][0], generation, tuple(costs))


async def check_server(client: Redis, settings: RedisSettings, address: str) -> tuple[str, tuple[str, ...]]:
    """The server's software and version, and the costs of what it lacks. Raises CannotStart's kinds."""
    try:
        software = await read_software(client, address)
        return software, await _check_settings(client, settings, address)
    except AuthenticationError:
        raise Unreachable(f"the store at {address} refuses the user name or password of ARGOSY_REDIS_URL") from None
    except BusyLoadingError:
        raise Unreachable(f"the store at {address} is still loading its data: start again when it is ready") from None
    except NETWORK as error:
        raise Unreachable(f"no store answers at {address} ({type(error).__name__}): see ARGOSY_REDIS_URL") from None


async def open_store(client: Redis) -> int:
    """The store's generation; an empty store is marked as ours first. Raises NewerStore."""
    await client.hsetnx(partitions.STORE_KEY, "format", str(FORMAT))
    await client.hsetnx(partitions.STORE_KEY, "generation", "1")
    marks: list[Any] = await client.hmget(partitions.STORE_KEY, ["format", "generation"])
    found, generation = int(marks[0]), int(marks[1])
    if found > FORMAT:
        raise NewerStore(f"the store has format {found} and this program knows {FORMAT}: start a newer one")
    return generation


async def raise_generation(client: Redis) -> int:
    """The new generation, after a restore: caches made before it are worth nothing.

    It is the server's time in milliseconds: counted up by one, that after a second restore could be one of before.
    """
    seconds, microseconds = await client.time()
    generation = max(await open_store(client) + 1, seconds * 1000 + microseconds // 1000)
    await client.hset(partitions.STORE_KEY, "generation", str(generation))
    return generation


async def read_software(client: Redis, address: str) -> str:
    """Name and version of the server. Raises TooOld."""
    info: dict[str, Any] = await client.info("server")
    # Valkey reports redis_version 7.2.4 for old clients' sake; its own version stands beside it.
    is_valkey = info.get("server_name") == "valkey" or "valkey_version" in info
    name, version = ("Valkey", info["valkey_version"]) if is_valkey else ("Redis", info["redis_version"])
    least = (7, 2) if is_valkey else (7, 0)
    if tuple(int(part) for part in str(version).split(".")[:2]) < least:
        raise TooOld(f"the store at {address} is {name} {version}: Redis 7.0 or Valkey 7.2 is the oldest that will do")
    return f"{name} {version}"


async def _check_settings(client: Redis, settings: RedisSettings, address: str) -> tuple[str, ...]:
    try:
        found: dict[Any, Any] = await client.config_get(*WANTED)
    except (NoPermissionError, ResponseError):
        found = {}
    costs = []
    if not set(WANTED) <= set(found):
        cost = f"the store at {address} hides its settings: it may lose or drop entries and nobody would know"
        costs.append(_permitted(Permit.HIDDEN, settings, cost, Misconfigured))
        return tuple(costs)
    for name, (wanted, permit, cost) in WANTED.items():
        if found[name] != wanted:
            told = f"the store at {address} has {name} {found[name]} instead of {wanted}: {cost}"
            costs.append(_permitted(permit, settings, told, Evicting if permit is Permit.EVICTING else Misconfigured))
    return tuple(costs)


def _permitted(permit: Permit, settings: RedisSettings, told: str, refusal: type[Misconfigured]) -> str:
    if permit not in settings.redis_permit:
        raise refusal(f"{told} (ARGOSY_REDIS_PERMIT={permit.value} accepts that)")
    return told
