"""Exports of finished matches, made once by a real platform."""

import asyncio
import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.evidence import Evidence
from argosy.v1 import replay_service_pb2 as pb

from tests.integration.players import play, play_all, seated_match
from tests.platform import run_platform


@dataclass(frozen=True)
class Files:
    """`finished` by game; `open` goes on; `own` are two players' evidence of one match."""

    folder: Path
    keys: Path
    finished: Mapping[str, Path]
    open: Path
    own: tuple[Path, Path]

    def export(self, game: str) -> pb.Export:
        return pb.Export.FromString(self.finished[game].read_bytes())


async def _proven(client: Client, name: str) -> bytes:
    for _ in range(100):
        data = await client.export(name)
        if pb.Export.FromString(data).HasField("proof"):
            return data
        await asyncio.sleep(0.1)
    raise AssertionError("the result did not come into the log")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("exports")
    async with (
        run_platform(("sirenen", "ruhe"), replay=1) as platform,
        Client.connect(platform.address, guest="A") as a,
        Client.connect(platform.address, guest="B") as b,
    ):
        told = await a.platform()
        keys = [{"key": base64.b64encode(key.key).decode()} for key in told.public_keys]
        (folder / "keys.json").write_text(json.dumps({"keys": keys}))
        finished = dict[str, Path]()
        for game in ("sirenen", "ruhe"):
            name = await seated_match([a, b], game)
            if game == "ruhe":
                (folder / "open.argosy").write_bytes(await a.export(name, seat=0))
            await play_all([a, b], name)
            finished[game] = folder / f"{game}.argosy"
            finished[game].write_bytes(await _proven(a, name))
        name = await seated_match([a, b])
        own = (folder / "a.evidence", folder / "b.evidence")
        await asyncio.gather(
            *(_keep(client, name, seat, Evidence(own[seat], told)) for seat, client in enumerate((a, b)))
        )
    return Files(folder, folder / "keys.json", finished, folder / "open.argosy", own)


async def _keep(client: Client, name: str, seat: int, evidence: Evidence) -> None:
    await play(client, name, seat, evidence=evidence)
