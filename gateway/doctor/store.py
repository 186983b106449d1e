"""The store: who it is, how it is set, whether its functions, marks and clock are what processes expect."""

import time
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from redis.exceptions import AuthenticationError, BusyLoadingError, RedisError

from gateway.doctor import configuration
from gateway.doctor.findings import Finding, fault, ok, warning
from services.kit.log import library, partitions
from services.kit.log.checks import FORMAT, TooOld, read_software
from services.kit.log.ends import feed_ends, is_after
from services.kit.log.entries import Unavailable
from services.kit.log.servers import NETWORK, RedisSettings, Server, Servers

_CLOCK_S: Final = 2.0  # an append whose time is further off is refused (argosy_v1.lua)
_CLOCK_NEAR_S: Final = 0.5


async def look(settings: RedisSettings, positions: Mapping[int, str] = MappingProxyType({})) -> AsyncIterator[Finding]:
    """What is found about every server of the store. Raises CannotStart for an address that makes no sense.

    `positions` are those up to which a library has read the feeds of this store.
    """
    servers = Servers(settings)
    try:
        try:
            await servers.refresh()
        except Unavailable as error:
            yield _unreachable(error.__cause__ or error)
            return
        for server in servers.all:
            try:
                async for finding in _look_at(server, settings):
                    yield finding
            except (RedisError, *NETWORK) as error:
                yield fault(server.address, type(error).__name__, "it cannot be looked at", str(error))
        yield await _marks(servers)
        if positions:
            yield await _age(servers, positions)
    finally:
        await servers.close()


def _unreachable(cause: BaseException) -> Finding:
    costs = "no match can be made, played or read"
    if isinstance(cause, AuthenticationError):
        return fault("store", "refuses the user name or password", costs, "mend ARGOSY_REDIS_URL")
    if isinstance(cause, BusyLoadingError):
        return fault("store", "is still loading its data", costs, "wait")
    return fault("store", f"does not answer ({type(cause).__name__})", costs, "start it, or mend ARGOSY_REDIS_URL")


async def _look_at(server: Server, settings: RedisSettings) -> AsyncIterator[Finding]:
    at, client = server.address, server.client
    try:
        yield ok(f"software of {at}", await read_software(client, at))
    except TooOld as reason:
        yield fault(
            f"software of {at}", str(reason), "functions that entries are written by are missing", "use a newer"
        )
    yield await _clock(server)
    info: dict[str, Any] = await client.info()
    found = await _settings_of(server)
    for finding in configuration.look(at, found, settings, int(info.get("total_system_memory", 0))):
        yield finding
    for finding in (_memory(at, info, settings), _file(at, info), _replicas(at, info, found, settings)):
        yield finding
    yield await _functions(server)


async def _settings_of(server: Server) -> Mapping[str, str]:
    try:
        found: Mapping[Any, Any] = await server.client.config_get(*configuration.NAMES)
    except RedisError:  # not let by the server: told as hidden
        return {}
    return found


async def _clock(server: Server) -> Finding:
    """The difference of clocks, less what the question may have taken on its way."""
    subject, before = f"clock of {server.address}", time.time()
    seconds, micros = await server.client.time()
    after = time.time()
    theirs = seconds + micros / 1e6
    off = max(before - theirs, theirs - after, 0.0)
    mend = "let both machines keep their clocks by NTP"
    if off > _CLOCK_S:
        return fault(subject, f"{off:.1f} s from ours", "every entry is refused: its time is more than 2 s off", mend)
    if off > _CLOCK_NEAR_S:
        return warning(subject, f"{off:.1f} s from ours", "entries are refused beyond 2 s", mend)
    return ok(subject, f"{off:.1f} s from ours")


def _memory(at: str, info: Mapping[str, Any], settings: RedisSettings) -> Finding:
    used, limit = int(info["used_memory"]), int(info.get("maxmemory", 0))
    subject = f"memory used at {at}"
    if limit and used / limit >= settings.redis_full:
        costs = "new matches and tickets are refused; beyond the limit actions are too"
        return warning(subject, f"{used / limit:.0%}", costs, "raise maxmemory, or archive and end matches sooner")
    return ok(subject, f"{used / limit:.0%}" if limit else f"{used} bytes")


def _file(at: str, info: Mapping[str, Any]) -> Finding:
    states = {name: info.get(name, "ok") for name in ("aof_last_write_status", "aof_last_bgrewrite_status")}
    bad = [name for name, state in states.items() if state != "ok"]
    if bad:
        costs = "the server refuses writes, or its file grows without end"
        return fault(f"file of {at}", f"{', '.join(bad)}: err", costs, "look for a full or failing disk, and its log")
    return ok(f"file of {at}", "written well")


def _replicas(at: str, info: Mapping[str, Any], found: Mapping[str, str], settings: RedisSettings) -> Finding:
    subject, there = f"replicas of {at}", int(info.get("connected_slaves", 0))
    if info.get("role") != "master":
        return fault(subject, "it is a replica itself", "nothing can be written there", "name the primary")
    wanted = settings.redis_replicas
    if there < wanted:
        costs = "every answer is UNCONFIRMED until they are back"
        return fault(subject, f"{there} of {wanted} that ARGOSY_REDIS_REPLICAS asks for", costs, "start them")
    if there and not wanted:
        costs = "an OK does not wait for them: what they lack is lost with the primary"
        return warning(subject, str(there), costs, f"ARGOSY_REDIS_REPLICAS={there}")
    least = int(found.get("min-replicas-to-write", 0))
    return ok(subject, f"{there}, {least} needed for a write" if there else "none")


async def _functions(server: Server) -> Finding:
    subject = f"functions of {server.address}"
    theirs, mine = await library.loaded(server), library.source()
    edition = library.edition_of(theirs)
    if not theirs:
        return ok(subject, "none yet; the first process loads them")
    if theirs != mine and edition <= library.edition_of(mine):
        costs = "processes replace it when they start; until then they use what is there"
        return warning(subject, f"edition {edition}, not ours", costs, "restart the gateways")
    return ok(subject, f"edition {edition}")


async def _marks(servers: Servers) -> Finding:
    marks = await servers.of(0).client.hmget(partitions.STORE_KEY, ["format", "generation"])
    if marks[0] is None:
        return ok("format of the store", "empty: the first process marks it")
    told = f"format {int(marks[0])}, generation {int(marks[1] or 1)}"
    if int(marks[0]) > FORMAT:
        return fault("format of the store", told, f"this program knows format {FORMAT}", "use a newer Argosy")
    return ok("format of the store", told)


async def _age(servers: Servers, positions: Mapping[int, str]) -> Finding:
    """Whether the library has read what the store does not have: then an older copy of the store was put back."""
    ends = await feed_ends(servers, positions)
    older = [home for home, position in positions.items() if is_after(position, ends[home].last)]
    if older:
        costs = "clients that saw more get HISTORY_DIVERGED; what the archive has is put back, the rest is lost"
        mend = "let replay start: it settles each match, and tells log_is_older_than_library"
        return warning("age of the store", f"older than the library in {len(older)} partitions", costs, mend)
    return ok("age of the store", "no older than the library")
