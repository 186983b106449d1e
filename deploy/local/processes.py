"""The processes of a local platform, in the order in which they start; they end in the opposite order.

A further process is one line in `_SETTINGS` and one in `_stages`.
"""

import contextlib
import importlib
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local import mending, valkey
from deploy.local.bots_key import bots_key
from deploy.local.children import Process
from services.kit import settings as kit_settings
from services.kit.startup import CannotStart

_HEALTH_S: Final = 2.0
_PORT_PATIENCE_S: Final = 2.0  # a gateway that has just lost its supervisor is on its way out
_LONGEST_SOCKET_FOLDER: Final = 60
# The settings by which each kind of process is configured; which ARGOSY_* variables it knows is read from them.
_SETTINGS: Final = {
    "rules": "services.rules.settings.RulesSettings",
    "gateway": "gateway.settings.GatewaySettings",
    "matchmaking": "services.matchmaking.settings.MatchmakingSettings",
    "bots": "services.rules.bots.hosted.settings.HostedSettings",
    "replay": "services.replay.settings.ReplaySettings",
}


@dataclass(frozen=True, slots=True)
class Platform:
    """What to run, and where.

    `rules` names the addresses of rules services that run elsewhere; `games` names those that run here, NAME or
    NAME=package.NAME, all that are found where it is None. `environ` is where ARGOSY_* variables come from: each
    process gets those that it knows. With ARGOSY_REDIS_URL among them no store of our own is run.
    """

    data: Path
    listen: str = "127.0.0.1:7600"
    rules: Mapping[str, str] = field(default_factory=dict)
    games: tuple[str, ...] | None = None
    maxmemory: int | None = None
    environ: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where everything is: `rules` by game. `matchmaking` is "" on a platform without games."""

    gateway: str
    redis: str
    rules: Mapping[str, str]
    matchmaking: str = ""
    replay: str = ""

    def write(self, folder: Path) -> Path:
        """Writes them into the data directory for other programs, whole or not at all."""
        target = folder / "addresses.json"
        told = {**asdict(self), "pid": os.getpid()}
        draft = target.with_suffix(".draft")
        draft.write_text(json.dumps(told, indent=2) + "\n")
        draft.replace(target)
        return target


def plan(
    platform: Platform, store: valkey.Launch | None, sockets: Path
) -> tuple[Addresses, tuple[tuple[Process, ...], ...]]:
    """The addresses, and the processes in stages: those of a stage start together.

    `store` is ours to run, if any; `sockets` is where those processes listen that only this machine talks to.
    """
    _refuse_unknown_variables(platform.environ)
    games = found_games() if platform.games is None else platform.games
    names = {entry.partition("=")[0]: entry for entry in games}
    local = {name: f"unix:{sockets / name}.sock" for name in names if name not in platform.rules}
    redis = store.url if store else platform.environ["ARGOSY_REDIS_URL"]
    rules = {**local, **platform.rules}
    matchmaking = f"unix:{sockets / 'matchmaking'}.sock" if rules else ""
    replay = f"unix:{sockets / 'replay'}.sock"
    addresses = Addresses(free_address(platform.listen), redis, rules, matchmaking, replay)
    return addresses, tuple(
        stage for stage in _stages(platform, store, addresses, {name: names[name] for name in local}) if stage
    )


def found_games() -> tuple[str, ...]:
    """The games that have a folder here."""
    folder = resources.files("services.rules.games")
    return tuple(sorted(e.name for e in folder.iterdir() if e.is_dir() and (e / "__init__.py").is_file()))


def free_address(listen: str) -> str:
    """The address, with a free port where it names port 0. Raises CannotStart when nobody can listen there."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or int(port) > 65_535:
        raise CannotStart(f"{listen!r} is no address: HOST:PORT is one")
    deadline = time.monotonic() + _PORT_PATIENCE_S
    while True:
        try:
            return f"{host}:{_bound(host.strip('[]'), int(port))}"
        except OSError:
            if time.monotonic() > deadline:
                told = f"cannot listen on {listen}: the port is taken or the address not this machine's"
                raise CannotStart(told) from None
            time.sleep(0.1)


def _bound(host: str, port: int) -> int:
    """The port, which can be listened at; a free one for 0."""
    family, kind, _, _, target = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(target)
        return int(trial.getsockname()[1])


@contextlib.contextmanager
def socket_folder(data: Path) -> Iterator[Path]:
    """A folder for the sockets of this platform, which only its owner may enter; elsewhere where its path is long."""
    folder = data / "run"
    if len(os.fsencode(folder)) > _LONGEST_SOCKET_FOLDER:
        with tempfile.TemporaryDirectory(prefix="argosy-") as elsewhere:
            yield Path(elsewhere)
        return
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    yield folder


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
    rules = {"ARGOSY_RULES": ",".join(f"{game}={address}" for game, address in addresses.rules.items())}
    bots = {"ARGOSY_BOTS_KEY_FILE": str(bots_key(platform.data))}
    behind = {"ARGOSY_MATCHMAKING": addresses.matchmaking, "ARGOSY_REPLAY": addresses.replay, **bots}
    edge = {"ARGOSY_LISTEN": addresses.gateway, "ARGOSY_DATA": str(platform.data), **redis, **rules, **behind}
    own = (store_process(store),) if store else ()
    hosts = tuple(_rules(platform, game, entry, addresses.rules[game]) for game, entry in games.items())
    yield (*own, *hosts)  # rules need no store
    gateway = _service(platform, "gateway", addresses.gateway, edge)
    seating = {"ARGOSY_MATCHMAKING_LISTEN": addresses.matchmaking, **redis, **rules}
    matchmaking = [_service(platform, "matchmaking", addresses.matchmaking, seating)] if rules["ARGOSY_RULES"] else []
    groups = "matchmaking,replay" if matchmaking else "replay"
    keeping = {"ARGOSY_REPLAY_LISTEN": addresses.replay, "ARGOSY_FEED_GROUPS": groups}
    replay = _service(
        platform, "replay", addresses.replay, {"ARGOSY_DATA": str(platform.data), **keeping, **redis, **rules}
    )
    yield (gateway, *matchmaking, replay)
    yield (_bots(platform, addresses.gateway, {**bots, "ARGOSY_BOTS_GAMES": ",".join(_elsewhere(games))}),)


def store_process(launch: valkey.Launch) -> Process:
    """The embedded store, mended when a kill tore its file."""

    async def is_ready() -> bool:
        return await valkey.answer(launch.socket) == b"+PONG"

    async def mend(log: Path) -> str:
        return await mending.mend(launch, log)

    return Process("valkey", launch.program, is_ready, pass_fds=(launch.lock,), grace_s=120.0, mend=mend)


def _rules(platform: Platform, game: str, entry: str, address: str) -> Process:
    own = {"ARGOSY_RULES_LISTEN": address, "ARGOSY_RULES_GAMES": entry}
    return _service(platform, "rules", address, own, name=f"rules-{game}")


def _service(platform: Platform, kind: str, address: str, own: Mapping[str, str], *, name: str = "") -> Process:
    package, _ = _SETTINGS[kind].split(".settings.")
    known = _known(kind)
    inherited = {variable: value for variable, value in platform.environ.items() if variable in known}
    argv = (sys.executable, "-m", package)
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


def _known(kind: str) -> set[str]:
    """The variables that a kind of process knows. Its settings are loaded by name: nothing of it is used here."""
    module, _, name = _SETTINGS[kind].rpartition(".")
    settings: Any = getattr(importlib.import_module(module), name)
    return {variable for variable, *_ in kit_settings.described(settings)}


def _refuse_unknown_variables(environ: Mapping[str, str]) -> None:
    known = set().union(*map(_known, _SETTINGS))
    kit_settings.refuse_unknown(environ, known)
