"""A whole platform of real processes for tests: a store, a rules host for each game, gateways.

Every process writes its log to a file in the platform's folder; `Platform.logs` reads them all.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tests import ports
from tests.servers import MEMORY, Store, running

ROOT = Path(__file__).parent.parent
START_S = 120.0
LISTEN = {
    "gateway": "ARGOSY_LISTEN",
    "rules": "ARGOSY_RULES_LISTEN",
    "matchmaking": "ARGOSY_MATCHMAKING_LISTEN",
    "replay": "ARGOSY_REPLAY_LISTEN",
}


class Process:
    """One process. It may be killed and started again; it keeps its port, which nobody else takes meanwhile."""

    def __init__(self, name: str, arguments: Sequence[str], variables: dict[str, str], folder: Path) -> None:
        self.name, self.port = name, ports.free_port()
        self._arguments, self._variables, self._log = arguments, variables, folder / f"{name}.log"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process, f"{self.name} is not running"
        return self._process.pid

    async def start(self) -> None:
        """Starts it and waits until it serves."""
        old = self._log.stat().st_size if self._log.exists() else 0
        environ = {k: v for k, v in os.environ.items() if not k.startswith("ARGOSY_")} | self._variables
        environ |= self.place()
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, *self._arguments, stdout=log, stderr=log, env=environ, cwd=ROOT
            )
        async with asyncio.timeout(START_S):
            while not self.port_found(old):
                assert self._process.returncode is None, self._log.read_text()[-4000:]
                await asyncio.sleep(0.05)

    def place(self) -> dict[str, str]:
        """The variable that says where to serve."""
        return {LISTEN[self.name.partition("-")[0]]: f"127.0.0.1:{self.port}"}

    def port_found(self, offset: int) -> bool:
        """Whether its log says where it serves."""
        for line in self._log.read_bytes()[offset:].decode().splitlines():
            if '"serving"' in line:
                self.port = int(json.loads(line)["port"])
                return True
        return False

    async def end(self, signal_number: int = signal.SIGTERM) -> int:
        """Ends it; its exit code."""
        assert self._process, f"{self.name} is not running"
        if self._process.returncode is None:
            self._process.send_signal(signal_number)
        code = await asyncio.wait_for(self._process.wait(), 120)
        self._process = None
        return code

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None


class Worker(Process):
    """A process that serves nothing: it has started once it has told its settings."""

    def port_found(self, offset: int) -> bool:
        return b'"settings"' in self._log.read_bytes()[offset:]

    def place(self) -> dict[str, str]:
        return {}


class Platform:
    """The processes of one platform, in one folder."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        rules: Sequence[Process],
        variables: dict[str, str],
        *,
        seating: dict[str, str],
        keeping: dict[str, str],
    ) -> None:
        self.folder, self.store, self.rules = folder, store, rules
        self.gateways: list[Process] = []
        self.matchmaking: list[Process] = []
        self.replay: list[Process] = []
        self.of_gateways: dict[str, str] = {}
        self.of_matchmaking, self.of_replay = seating, keeping
        self.variables = variables

    @property
    def address(self) -> str:
        """The public address of the first gateway."""
        return self.gateways[0].address

    async def add_gateway(self) -> Process:
        """Starts one more gateway."""
        number = str(len(self.gateways))
        services = {"ARGOSY_MATCHMAKING": self.matchmaking, "ARGOSY_REPLAY": self.replay}
        behind = self.of_gateways | {
            variable: "ipv4:" + ",".join(process.address for process in processes)
            for variable, processes in services.items()
            if processes
        }
        behind["ARGOSY_BOTS_KEY_FILE"] = str(self._bots_key())
        gateway = Process(
            f"gateway-{number}", ["-m", "gateway"], {**self.variables, **behind, "ARGOSY_NUMBER": number}, self.folder
        )
        await gateway.start()
        self.gateways.append(gateway)
        return gateway

    async def add_matchmaking(self) -> Process:
        """Starts one more process of matchmaking; gateways started afterwards know of it."""
        name = f"matchmaking-{len(self.matchmaking)}"
        variables = {k: v for k, v in self.variables.items() if k != "ARGOSY_DATA"}
        matchmaking = Process(name, ["-m", "services.matchmaking"], {**variables, **self.of_matchmaking}, self.folder)
        await matchmaking.start()
        self.matchmaking.append(matchmaking)
        return matchmaking

    async def start_bots(self) -> Process:
        """Starts a process that plays hosted bots."""
        own = {"ARGOSY_BOTS_GATEWAY": self.address, "ARGOSY_BOTS_KEY_FILE": str(self._bots_key())}
        python_path = {"PYTHONPATH": self.variables["PYTHONPATH"]}
        worker = Worker("bots", ["-m", "services.rules.bots.hosted"], {**python_path, **own}, self.folder)
        await worker.start()
        return worker

    def _bots_key(self) -> Path:
        path = self.folder / "bots.key"
        path.write_text("0123456789abcdef" * 4)
        return path

    async def add_replay(self) -> Process:
        """Starts one more process of replay; gateways started afterwards know of it."""
        groups = "matchmaking,replay" if self.matchmaking else "replay"
        patient = {"ARGOSY_REPLAY_CATCH_UP_S": "5"}  # lists wait for what was recorded, also on a slow machine
        variables = {**self.variables, "ARGOSY_FEED_GROUPS": groups, **patient, **self.of_replay}
        replay = Process(f"replay-{len(self.replay)}", ["-m", "services.replay"], variables, self.folder)
        await replay.start()
        self.replay.append(replay)
        return replay

    def logs(self) -> str:
        """Everything that any process has written."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def key(self, *scopes: str) -> str:
        """A new API key with these scopes."""
        import subprocess  # noqa: PLC0415 - only here

        arguments = ["-m", "gateway.cli", "keys", "create", "tests", "--data", str(self.folder), "--json"]
        arguments += [part for scope in scopes for part in ("--scope", scope)]
        made = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, cwd=ROOT)
        return str(json.loads(made.stdout)["secret"])


@contextlib.asynccontextmanager
async def run_platform(
    games: Sequence[str] = ("sirenen",),
    *,
    gateways: int = 1,
    matchmaking: int = 0,
    seating: Mapping[str, str] = MappingProxyType({}),
    replay: int = 0,
    keeping: Mapping[str, str] = MappingProxyType({}),
    path: Sequence[Path] = (),
    maxmemory: int = MEMORY,
    store_arguments: Sequence[str] = (),
    store_program: str | None = None,
    of_gateways: Mapping[str, str] = MappingProxyType({}),
    **variables: str,
) -> AsyncIterator[Platform]:
    """Starts a platform for these games (`NAME` or `NAME=package.NAME`), and ends it.

    `seating` are variables for matchmaking alone, `keeping` for replay, `of_gateways` for gateways, `variables` for
    every process.
    """
    made = running(store_program, maxmemory=maxmemory, arguments=store_arguments)
    with tempfile.TemporaryDirectory(prefix="platform-") as name, made as store:
        folder, base = Path(name), {"PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT))), **variables}
        rules = await _start_rules(games, base, folder)
        addresses = ",".join(f"{p.name.removeprefix('rules-')}={p.address}" for p in rules)
        own = {**base, "ARGOSY_DATA": str(folder), "ARGOSY_REDIS_URL": store.url, "ARGOSY_RULES": addresses}
        platform = Platform(folder, store, rules, own, seating=dict(seating), keeping=dict(keeping))
        platform.of_gateways.update(of_gateways)
        try:
            for _ in range(matchmaking):
                await platform.add_matchmaking()
            for _ in range(replay):
                await platform.add_replay()
            for _ in range(gateways):
                await platform.add_gateway()
            yield platform
        finally:
            for process in (*platform.gateways, *platform.matchmaking, *platform.replay, *rules):
                if process.is_running:
                    await process.end()


async def _start_rules(games: Sequence[str], variables: dict[str, str], folder: Path) -> list[Process]:
    rules = [
        Process(f"rules-{game.split('=')[0]}", ["-m", "services.rules", "--game", game], variables, folder)
        for game in games
    ]
    await asyncio.gather(*(process.start() for process in rules))
    return rules
