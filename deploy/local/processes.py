"""The processes of a local platform, in the order in which they start; they end in the opposite order.

A further process is one line in `_stages` and one in `variables.SETTINGS`.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local import mending, places, valkey, variables
from deploy.local.bots_key import bots_key
from deploy.local.children import Process

_HEALTH_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Platform:
    """What to run, and where.

    `rules` names the addresses of rules services that run elsewhere; `games` names those that run here, NAME or
    NAME=package.NAME, all that are found where it is None. `environ` is where ARGOSY_* variables come from: each
    process gets those that it knows. With ARGOSY_REDIS_URL among them no store of our own is run.

    `gateways` share the public address; each game that runs here has `rules_replicas` processes.
    """

    data: Path
    listen: str = "127.0.0.1:7600"
    gateways: int = 1
    rules_replicas: int = 1
    rules: Mapping[str, str] = field(default_factory=dict)
    games: tuple[str, ...] | None = None
    maxmemory: int | None = None
    environ: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where everything is: `rules` by game, several replicas as one gRPC target.

    With TLS `gateway` begins with https://. `matchmaking` is "" on a platform without games. `inside` is where this
    machine's own processes find each gateway.
    """

    gateway: str
    redis: str
    rules: Mapping[str, str]
    matchmaking: str = ""
    replay: str = ""
    inside: tuple[str, ...] = ()

    def write(self, folder: Path) -> Path:
        """Writes them into the data directory for other programs, whole or not at all."""
        target = folder / "addresses.json"
        told = {**asdict(self), "pid": os.getpid()}
        draft = target.with_suffix(".draft")
        draft.write_text(json.dumps(told, indent=2) + "\n")
        draft.replace(target)
        return target


def plan(
    platform: Platform, store: valkey.Launch | None, sockets: Path, listen: str
) -> tuple[Addresses, tuple[tuple[Process, ...], ...]]:
    """The addresses, and the processes in stages: those of a stage start together.

    `store` is ours to run, if any; `sockets` is where those processes listen that only this machine talks to;
    `listen` is the public address.
    """
    variables.refuse_unknown(platform.environ)
    games = found_games() if platform.games is None else platform.games
    names = {entry.partition("=")[0]: entry for entry in games}
    local = {
        name: target([f"unix:{sockets / replica}.sock" for replica in _numbered(name, platform.rules_replicas)])
        for name in names
        if name not in platform.rules
    }
    redis = store.url if store else platform.environ["ARGOSY_REDIS_URL"]
    rules = {**local, **platform.rules}
    matchmaking = f"unix:{sockets / 'matchmaking'}.sock" if rules else ""
    replay = f"unix:{sockets / 'replay'}.sock"
    inside = tuple(f"unix:{sockets / name}.sock" for name in _numbered("gateway", platform.gateways))
    public = f"https://{listen}" if platform.environ.get("ARGOSY_TLS_CERT") else listen
    addresses = Addresses(public, redis, rules, matchmaking, replay, inside)
    return addresses, tuple(
        stage for stage in _stages(platform, store, addresses, {name: names[name] for name in local}) if stage
    )


def found_games() -> tuple[str, ...]:
    """The games that have a folder here."""
    folder = resources.files("services.rules.games")
    return tuple(sorted(e.name for e in folder.iterdir() if e.is_dir() and (e / "__init__.py").is_file()))


def target(sockets: Sequence[str]) -> str:
    """Several `unix:PATH` as one address: whoever calls it turns to each, and to the others when one is away."""
    return "unix:" + ",".join(socket.removeprefix("unix:") for socket in sockets)


def _numbered(name: str, count: int) -> list[str]:
    """One process goes by the name alone, several by number."""
    return [name] if count == 1 else [f"{name}-{number}" for number in range(1, count + 1)]


async def is_serving(address: str) -> bool:
    """Whether a gRPC server there says that it is healthy."""
    async with grpc.aio.insecure_channel(address) as channel:
        try:
            request = health_pb2.HealthCheckRequest()
            reply = await health_pb2_grpc.HealthStub(channel).Check(request, timeout=_HEALTH_S)
        except grpc.aio.AioRpcError:
            return False
        return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)


def _stages(
    platform: Platform, store: valkey.Launch | None, addresses: Addresses, games: Mapping[str, str]
) -> Iterator[tuple[Process, ...]]:
    redis = {"ARGOSY_REDIS_URL": addresses.redis}
    redis |= {"ARGOSY_REDIS_FOLDER": str(store.folder)} if store else {}
    rules = {"ARGOSY_RULES": ",".join(f"{game}={address}" for game, address in addresses.rules.items())}
    bots = {"ARGOSY_BOTS_KEY_FILE": str(bots_key(platform.data))}
    behind = {"ARGOSY_MATCHMAKING": addresses.matchmaking, "ARGOSY_REPLAY": addresses.replay, **bots}
    edge = {"ARGOSY_DATA": str(platform.data), **redis, **rules, **behind}
    own = (store_process(store),) if store else ()
    hosts = [host for game, entry in games.items() for host in _rules(platform, game, entry, addresses.rules[game])]
    yield (*own, *hosts)  # rules need no store
    seating = {"ARGOSY_MATCHMAKING_LISTEN": addresses.matchmaking, **redis, **rules}
    matchmaking = [_service(platform, "matchmaking", addresses.matchmaking, seating)] if rules["ARGOSY_RULES"] else []
    groups = "matchmaking,replay" if matchmaking else "replay"
    keeping = {"ARGOSY_REPLAY_LISTEN": addresses.replay, "ARGOSY_FEED_GROUPS": groups}
    replay = _service(
        platform, "replay", addresses.replay, {"ARGOSY_DATA": str(platform.data), **keeping, **redis, **rules}
    )
    yield (*_gateways(platform, addresses, edge), *matchmaking, replay)
    yield (_bots(platform, target(addresses.inside), {**bots, "ARGOSY_BOTS_GAMES": ",".join(_elsewhere(games))}),)


def store_process(launch: valkey.Launch) -> Process:
    """The embedded store, mended when a kill tore its file."""

    async def is_ready() -> bool:
        return await valkey.answer(launch.socket) == b"+PONG"

    async def mend(log: Path) -> str:
        return await mending.mend(launch, log)

    return Process("valkey", launch.program, is_ready, pass_fds=(launch.lock,), grace_s=120.0, mend=mend)


def _rules(platform: Platform, game: str, entry: str, address: str) -> Iterator[Process]:
    """The replicas of a game's rules."""
    sockets = address.removeprefix("unix:").split(",")
    for name, socket in zip(_numbered(f"rules-{game}", len(sockets)), sockets, strict=True):
        own = {"ARGOSY_RULES_LISTEN": f"unix:{socket}", "ARGOSY_RULES_GAMES": entry}
        yield _service(platform, "rules", f"unix:{socket}", own, name=name)


def _gateways(platform: Platform, addresses: Addresses, edge: Mapping[str, str]) -> Iterator[Process]:
    """The gateways. Several have the public address in common, and each numbers what it decides."""
    metrics = platform.environ.get("ARGOSY_METRICS", "")
    for number, name in enumerate(names := _numbered("gateway", platform.gateways)):
        inside = addresses.inside[number]
        own = {"ARGOSY_LISTEN": addresses.gateway.removeprefix("https://"), "ARGOSY_LISTEN_INSIDE": inside}
        if places.CAN_SHARE:
            own |= {"ARGOSY_LISTEN_SHARED": "true"}
        if len(names) > 1:
            own |= {"ARGOSY_NUMBER": str(number)}
            own |= {"ARGOSY_METRICS": _next_port(metrics, number)} if metrics else {}
        yield _service(platform, "gateway", inside, {**edge, **own}, name=name)


def _next_port(address: str, number: int) -> str:
    """Figures are each process's own: those of the first at the port, of the second at the next one, and so on."""
    host, _, port = address.rpartition(":")
    return f"{host}:{int(port) + number}" if port.isdecimal() else address


def _service(platform: Platform, kind: str, address: str, own: Mapping[str, str], *, name: str = "") -> Process:
    known = variables.known_to(kind)
    inherited = {variable: value for variable, value in platform.environ.items() if variable in known}
    argv = (sys.executable, "-m", variables.package_of(kind))
    return Process(name or kind, argv, lambda: is_serving(address), {**inherited, **own})


def _bots(platform: Platform, gateway: str, own: Mapping[str, str]) -> Process:
    """What plays hosted bots. Nobody waits for it: it serves nothing."""

    async def is_ready() -> bool:
        return True

    service = _service(platform, "bots", gateway, {"ARGOSY_BOTS_GATEWAY": gateway, **own})
    return replace(service, is_ready=is_ready)


def _elsewhere(games: Mapping[str, str]) -> list[str]:
    """The games that stand in another package than the usual one."""
    return [entry for entry in games.values() if "=" in entry]
