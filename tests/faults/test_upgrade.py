"""A rolling upgrade: two replicas of a game's rules, replaced one after the other by such as know two versions."""

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from argosy.client import Client

from services.kit import parts
from services.kit.log import ids
from services.kit.log.entries import Entry
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.match.audit import audit
from services.match.rules import RulesDirectory
from tests.faults.load import PATIENT
from tests.faults.oracles import read_all
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, Process, run_platform
from tests.toy_game.building import GAME, MODULE, vary

pytestmark = pytest.mark.timeout(600)


class Upgrade:
    """A platform that begins with two replicas of the old rules."""

    def __init__(self, platform: Platform, new: str) -> None:
        self.platform, self._new = platform, new
        self.replicas = [platform.rules[0]]

    async def add(self) -> None:
        """One more replica of the old rules."""
        other = self.replica("b", MODULE)
        await other.start()
        self.replicas.append(other)

    def replica(self, name: str, *modules: str) -> Process:
        games = [word for module in modules for word in ("--game", f"{GAME}={module}")]
        variables = {"PYTHONPATH": self.platform.variables["PYTHONPATH"]}
        return Process(f"rules-{name}", ["-m", "services.rules", *games], variables, self.platform.folder)

    async def replace(self, number: int) -> None:
        """The replica ends, and one that knows both versions takes its place."""
        old = self.replicas[number]
        replica = self.replica(f"new-{number}", MODULE, self._new)
        replica.port = old.port
        await old.end(signal.SIGTERM)
        await replica.start()
        self.replicas[number] = replica


@contextlib.asynccontextmanager
async def upgrading(folder: Path, messages: Path) -> AsyncIterator[Upgrade]:
    new = vary(folder, ('rules_version="1.0.0"', 'rules_version="2.0.0"'))
    async with run_platform([f"{GAME}={MODULE}"], gateways=0, path=(messages, folder)) as platform:
        upgrade = Upgrade(platform, f"{new.package}.{GAME}")
        await upgrade.add()
        try:
            places = ",".join(replica.address for replica in upgrade.replicas)
            platform.of_gateways["ARGOSY_RULES"] = f"{GAME}=ipv4:{places}"
            await platform.add_gateway()
            yield upgrade
        finally:
            for replica in upgrade.replicas:
                if replica.is_running:
                    await replica.end()


async def test_matches_end_under_the_rules_with_which_they_began(toy_messages: Path, tmp_path: Path) -> None:
    async with upgrading(tmp_path, toy_messages) as upgrade:
        ann, bob = (Client.connect(upgrade.platform.address, guest=name, patience=PATIENT) for name in ("Ann", "Bob"))
        async with ann, bob, asyncio.TaskGroup() as group:
            old, played, ending = await seated_match([ann, bob], GAME), list[str](), asyncio.Event()
            playing = group.create_task(play_on([ann, bob], played, ending))
            await upgrade.replace(0)
            await until_new(upgrade, played)  # half of the calls about it meet a replica that does not know its rules
            await upgrade.replace(1)
            await until_new(upgrade, played)
            ending.set()
            await playing
            await play_all([ann, bob], old)
        assert await versions_of(upgrade, [old]) == Counter({"1.0.0": 1})
        assert set(await versions_of(upgrade, played)) == {"1.0.0", "2.0.0"}
        await check(upgrade, [old, *played])


async def play_on(clients: Sequence[Client], played: list[str], ending: asyncio.Event) -> None:
    """Plays one match after another."""
    while not ending.is_set():
        name = await seated_match(clients, GAME)
        await play_all(clients, name)
        played.append(name)


async def until_new(upgrade: Upgrade, played: list[str]) -> None:
    """Waits until two more matches were played by the new rules."""
    seen = len(played)
    while (await versions_of(upgrade, played[seen:]))["2.0.0"] < 2:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.1)


async def histories(upgrade: Upgrade, names: Sequence[str]) -> dict[str, list[Entry]]:
    async with open_log(RedisSettings(redis_url=upgrade.platform.store.url)) as log:
        return {name: await read_all(log, name) for name in names}


async def versions_of(upgrade: Upgrade, names: Sequence[str]) -> Counter[str]:
    """How many of the matches began under which rules."""
    found = Counter[str]()
    for entries in (await histories(upgrade, names)).values():
        first = entries[0]
        part = parts.server_part(parts.opened(1, first.digest, first.body))
        found[part.cause.created.rules_version] += 1
    return found


async def check(upgrade: Upgrade, names: Sequence[str]) -> None:
    """All are over, and decided by the rules they began with."""
    directory = RulesDirectory({GAME: upgrade.replicas[0].address})
    await directory.refresh()
    for name, entries in (await histories(upgrade, names)).items():
        found = await audit(ids.from_text(name.removeprefix("matches/")), entries, directory.game(GAME))
        assert found.problem is None, f"{name}: {found.problem}"
        last = entries[-1]
        assert parts.server_part(parts.opened(last.version, last.digest, last.body)).HasField("end")
    await directory.close()
