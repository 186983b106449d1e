"""Exports of finished matches, made once by a real platform and the command."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.evidence import Evidence
from argosy.v1 import replay_service_pb2 as pb

from services.kit.keys import SigningKey, read_keys
from tests.integration.players import play, play_all, seated_match
from tests.platform import run_platform

Kind = pb.Ruling.Kind
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Files:
    """`finished` by game, of which sirenen's was ruled on; `open` is ruhe's while it went on, as seat 0 had it.

    `own` are two players' evidence of one match, which `own_finished` opens; `private` are the platform's keys.
    """

    folder: Path
    keys: Path
    finished: Mapping[str, Path]
    open: Path
    own: tuple[Path, Path]
    own_finished: Path
    private: Sequence[SigningKey]

    def export(self, game: str) -> pb.Export:
        return pb.Export.FromString(self.finished[game].read_bytes())


async def _proven(client: Client, name: str) -> None:
    for _ in range(600):
        data = await client.export(name)
        export = pb.Export.FromString(data)
        if export.HasField("proof") and all(ruling.HasField("proof") for ruling in export.rulings):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the result did not come into the log")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("exports")
    async with (
        run_platform(("sirenen", "ruhe"), replay=1) as platform,
        Client.connect(platform.address, guest="A") as a,
        Client.connect(platform.address, guest="B") as b,
        Client.connect(platform.address, key=platform.key("host")) as host,
    ):
        private = read_keys(platform.folder / "keys.json")
        told = await a.platform()
        finished = dict[str, Path]()
        for game in ("sirenen", "ruhe"):
            name = await seated_match([a, b], game)
            if game == "ruhe":
                (folder / "open.argosy").write_bytes(await a.export(name, seat=0))
            await play_all([a, b], name)
            finished[game] = folder / f"{game}.argosy"
            if game == "sirenen":
                await host.hosting.rule(name, Kind.KIND_NOTE, "LATE_ARRIVAL")
                await host.hosting.rule(name, Kind.KIND_ADJUDICATE, "WRONG_SETTINGS", scores=[0.25, 0.75])
            await _proven(a, name)
            await _export(platform.address, name, finished[game], folder)
        name = await seated_match([a, b])
        own = (folder / "a.evidence", folder / "b.evidence")
        await asyncio.gather(
            *(_keep(client, name, seat, Evidence(own[seat], told)) for seat, client in enumerate((a, b)))
        )
        await _proven(a, name)
        (folder / "own.argosy").write_bytes(await a.export(name))
    return Files(folder, folder / "keys.json", finished, folder / "open.argosy", own, folder / "own.argosy", private)


async def _export(address: str, name: str, path: Path, folder: Path) -> None:
    """As a stranger does it, who may look once the match is over."""
    words = ["export", name, "-o", path, "--keys", folder / "keys.json", "--server", address]
    words += ["--credentials", folder / "stranger.json", "--guest", "Stranger"]
    asked = await asyncio.create_subprocess_exec(sys.executable, "-m", "gateway.cli", *map(str, words), cwd=ROOT)
    assert await asked.wait() == 0


async def _keep(client: Client, name: str, seat: int, evidence: Evidence) -> None:
    await play(client, name, seat, evidence=evidence)
