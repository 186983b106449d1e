"""`argosy verify` as people call it, and a second verifier that shares no line with it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from argosy.v1 import replay_service_pb2 as pb

from tests.verifier.bending import flipped, retold
from tests.verifier.conftest import Files
from tests.verifier.test_mutations import (
    V,
    another_seed_chained_anew,
    change_a_draw,
    drop,
    flip_digest,
    flip_public,
    flip_server,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")
ROOT = Path(__file__).parents[2]


def argosy(*words: str | Path) -> tuple[int, str]:
    told = subprocess.run(
        [sys.executable, "-m", "gateway.cli", "verify", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    return told.returncode, told.stdout + told.stderr


async def test_a_finished_match_is_verified_from_its_file_alone(files: Files) -> None:
    code, told = argosy(files.finished["ruhe"], "--keys", files.keys)
    assert (code, told.splitlines()[-1]) == (0, "verified")
    assert "✗" not in told
    code, told = argosy(files.finished["ruhe"])
    assert code == 0
    assert "– signature" in told  # noqa: RUF001 - the mark


async def test_json_names_the_first_failure(files: Files) -> None:
    export = files.export("sirenen")
    flip_public(export)
    bent = files.folder / "bent.argosy"
    bent.write_bytes(export.SerializeToString())
    code, told = argosy(bent, "--json")
    report: dict[str, Any] = json.loads(told)["files"][0]
    assert code == report["exit_code"] == 1
    assert report["first_failure"]["version"] == V


async def test_a_match_that_goes_on_is_open_not_wrong(files: Files) -> None:
    code, told = argosy(files.open)
    assert code == 3
    assert "✓ chain" in told
    assert "closed" in told
    assert "the match goes on" in told


async def test_rules_that_are_not_installed_are_not_guessed(files: Files) -> None:
    export = files.export("sirenen")

    def other(part: Any) -> None:
        part.cause.created.rules_version = "99.0"

    path = files.folder / "other-rules.argosy"
    path.write_bytes(retold(export, 1, other).SerializeToString())
    code, told = argosy(path)
    assert "rules 99.0 are not installed" in told
    assert code == 1  # the signed summary is of another history

    export.ClearField("result")
    export.ClearField("rulings")
    path.write_bytes(export.SerializeToString())
    assert argosy(path)[0] == 3


async def test_two_players_files_agree(files: Files) -> None:
    code, told = argosy(*files.own, "--keys", files.keys)
    assert "✓ the two files" in told
    assert "✓ receipts" in told
    assert code == 3  # each is closed by itself


async def test_two_players_who_were_told_two_stories_find_where(files: Files) -> None:
    export = files.export("sirenen")

    def later(part: Any) -> None:
        part.receive_time_ms += 1

    path = files.folder / "other-story.argosy"
    path.write_bytes(retold(export, V, later).SerializeToString())
    code, told = argosy(files.finished["sirenen"], path)
    assert code == 1
    assert f"✗ the two files  version {V}: they were told two public parts" in told


def node(path: Path, *more: Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js is not installed")
    script = Path(__file__).with_name("verify.mjs")
    return subprocess.run([found, str(script), str(path), *map(str, more)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("game", ["sirenen", "ruhe"])
async def test_a_second_program_reads_the_same_history(files: Files, game: str) -> None:
    export, told = files.export(game), node(files.finished[game])
    assert told.stderr == ""
    found = json.loads(told.stdout)
    assert found["match"] == export.match.hex()
    assert (found["entries"], found["head"]) == (len(export.opened), export.opened[-1].digest.hex())
    assert found["draws"] > 0
    assert found["decisions"] > 0
    assert found["signed"]


@pytest.mark.parametrize("bend", [flip_digest, flip_public, flip_server, drop])
async def test_the_second_program_finds_what_is_changed(files: Files, bend: Any, tmp_path: Path) -> None:
    told = _node_of(files.export("ruhe"), bend, tmp_path)
    assert told.returncode == 1
    assert told.stderr.startswith(f"version {V}: ")


async def test_the_second_program_finds_another_seed(files: Files, tmp_path: Path) -> None:
    told = _node_of(files.export("ruhe"), another_seed_chained_anew, tmp_path)
    assert told.stderr.startswith("version 1: the seed")


async def test_the_second_program_finds_a_steered_die(files: Files, tmp_path: Path) -> None:
    export = files.export("sirenen")
    version = change_a_draw(export)
    told = _node_of(export, lambda _: None, tmp_path)
    assert told.stderr == f"version {version}: a draw does not follow from the seed\n"


async def test_the_second_program_finds_a_changed_contribution(files: Files, tmp_path: Path) -> None:
    export = files.export("sirenen")

    def change(part: Any) -> None:
        for taken in part.cause.seats_taken.seats:
            taken.contribution = flipped(taken.contribution)

    told = _node_of(retold(export, 2, change), lambda _: None, tmp_path)
    assert told.returncode == 1
    assert "a draw does not follow from the seed" in told.stderr


def _node_of(export: pb.Export, bend: Any, folder: Path) -> subprocess.CompletedProcess[str]:
    bend(export)
    path = folder / "bent.argosy"
    path.write_bytes(export.SerializeToString())
    return node(path)
