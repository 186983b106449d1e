"""The settings of a server of the store, compared with those under which nothing acknowledged is lost."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from gateway.doctor.findings import Finding, Level, fault, ok, warning
from services.kit.log.checks import WANTED
from services.kit.log.servers import Permit, RedisSettings

_LARGEST_NODE: Final = 1024
_FEWEST_CLIENTS: Final = 1000
_SHARE_OF_MEMORY: Final = 0.6
NAMES: Final = (
    *WANTED,
    "no-appendfsync-on-rewrite",
    "auto-aof-rewrite-percentage",
    "client-output-buffer-limit",
    "stream-node-max-bytes",
    "maxmemory",
    "maxclients",
    "timeout",
)


def look(at: str, found: Mapping[str, str], settings: RedisSettings, machine: int) -> Iterator[Finding]:
    """What is found about each setting. `at` is the server's address, `machine` the bytes of its machine's memory."""
    if not set(WANTED) <= set(found):
        costs = "the server may lose or drop entries and nobody would know"
        yield _permitted(
            Permit.HIDDEN, settings, fault(f"settings of {at}", "hidden", costs, "let CONFIG GET be called")
        )
        return
    for name, (wanted, permit, costs) in WANTED.items():
        subject = f"{name} of {at}"
        if found[name] == wanted:
            yield ok(subject, wanted)
        else:
            yield _permitted(permit, settings, fault(subject, found[name], costs, set_to(name, wanted)))
    yield from _flushing(at, found)
    yield from _memory(at, found, machine)
    yield from _clients(at, found)


def set_to(name: str, value: str) -> str:
    """How to set it."""
    return f"CONFIG SET {name} {value}, and the same in the server's configuration file"


def _flushing(at: str, found: Mapping[str, str]) -> Iterator[Finding]:
    name = "no-appendfsync-on-rewrite"
    if found.get(name) == "yes":
        costs = "while the file is rewritten nothing is flushed: what is acknowledged then is lost with the power"
        yield fault(f"{name} of {at}", "yes", costs, set_to(name, "no"))
    name = "auto-aof-rewrite-percentage"
    if found.get(name) == "0":
        costs = "the file grows for ever, and so does the time that a start takes"
        yield warning(f"{name} of {at}", "0", costs, set_to(name, "100"))


def _memory(at: str, found: Mapping[str, str], machine: int) -> Iterator[Finding]:
    name, subject, limit = "stream-node-max-bytes", f"maxmemory of {at}", int(found.get("maxmemory", 0))
    most = int(machine * _SHARE_OF_MEMORY)
    mend = set_to("maxmemory", str(most))
    if limit == 0:
        costs = "no limit: the system kills the server when memory is short, and no new match is refused before"
        yield warning(subject, "none", costs, mend)
    elif limit > most:
        costs = "a rewrite of the file forks: above 60 % of the machine's memory the system may kill the server"
        yield warning(subject, f"{limit} of {machine} bytes", costs, mend)
    else:
        yield ok(subject, f"{limit} of {machine} bytes")
    node = int(found.get(name, 0))
    if node == 0 or node > _LARGEST_NODE:
        yield warning(f"{name} of {at}", str(node), "small histories take twice the memory", set_to(name, "1024"))
    else:
        yield ok(f"{name} of {at}", str(node))


def _clients(at: str, found: Mapping[str, str]) -> Iterator[Finding]:
    name = "client-output-buffer-limit"
    normal = _limit_of("normal", found.get(name, ""))
    if normal in ("", "0 0 0"):
        costs = "one reader that is stuck can fill the server's memory"
        yield warning(f"{name} of {at}", "none for normal clients", costs, set_to(name, '"normal 8mb 2mb 5"'))
    else:
        yield ok(f"{name} of {at}", f"normal {normal}")
    if int(found.get("maxclients", _FEWEST_CLIENTS)) < _FEWEST_CLIENTS:
        costs = "processes are refused connections when there are many of them"
        yield warning(f"maxclients of {at}", found["maxclients"], costs, set_to("maxclients", "4096"))
    if found.get("timeout", "0") != "0":
        costs = "quiet connections are cut, and the calls that come upon it fail once"
        yield warning(f"timeout of {at}", f"{found['timeout']} s", costs, set_to("timeout", "0"))


def _limit_of(kind: str, limits: str) -> str:
    """The three numbers of one kind of client in `normal 0 0 0 slave 1 2 3 pubsub 1 2 3`."""
    words = limits.split()
    return " ".join(words[words.index(kind) + 1 : words.index(kind) + 4]) if kind in words else ""


def _permitted(permit: Permit, settings: RedisSettings, of: Finding) -> Finding:
    """What the platform refuses to serve with; a warning where the operator accepts it."""
    if permit in settings.redis_permit:
        return replace(of, level=Level.WARNING, found=f"{of.found} (permitted)")
    return replace(of, mend=f"{of.mend}; or ARGOSY_REDIS_PERMIT={permit.value}, which accepts it")
