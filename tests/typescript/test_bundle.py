"""The bundle of protos: whole, the same every time, and enough for a client in TypeScript.

The last needs Node and the packages of `package-lock.json`: `make typescript` installs them, and this test is skipped
where they are not.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from argosy.games.sirenen.v1 import sirenen_pb2 as sirenen
from argosy.v1 import error_reason_pb2
from argosy.v1 import match_service_pb2 as pb
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorSet

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PACKAGES = ROOT / ".build" / "typescript" / "node_modules"
BUF = Path(sysconfig.get_path("scripts")) / "buf"
OPTIONS = ["target=ts", "import_extension=js"]
TEMPLATE = {
    "version": "v2",
    "plugins": [{"local": str(PACKAGES / ".bin" / "protoc-gen-es"), "out": "gen", "opt": OPTIONS}],
}
pytestmark = pytest.mark.timeout(300)


def make(folder: Path) -> tuple[Path, Path]:
    """The zip and the descriptor set."""
    subprocess.run([sys.executable, str(ROOT / "protos" / "bundle.py"), str(folder)], check=True)
    return folder / "argosy-protos.zip", folder / "argosy-protos.binpb"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make(tmp_path_factory.mktemp("bundle"))


def run(words: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_same_protos_give_the_same_bytes(bundle: tuple[Path, Path], tmp_path: Path) -> None:
    assert [path.read_bytes() for path in make(tmp_path)] == [path.read_bytes() for path in bundle]


def test_all_public_protos_and_nothing_internal_is_in_it(bundle: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(bundle[0]).namelist())
    ours = {path.relative_to(ROOT / "protos").as_posix() for path in (ROOT / "protos" / "argosy").rglob("*.proto")}
    assert {name for name in names if name.startswith("argosy/")} == {name for name in ours if "/internal/" not in name}
    assert any("/internal/" in name for name in ours)


def test_the_zip_compiles_by_itself(bundle: tuple[Path, Path], tmp_path: Path) -> None:
    """Buf knows nothing but what is in the folder, and of imports only Google's well-known ones."""
    zipfile.ZipFile(bundle[0]).extractall(tmp_path / "protos")
    run([BUF, "build", "--output", tmp_path / "built.binpb"], tmp_path / "protos")
    built = FileDescriptorSet.FromString((tmp_path / "built.binpb").read_bytes())
    assert {file.name for file in built.file} == set(zipfile.ZipFile(bundle[0]).namelist())


def test_the_descriptor_set_has_every_import_before_its_use(bundle: tuple[Path, Path]) -> None:
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString(bundle[1].read_bytes()).file:
        pool.Add(file)
        assert pool.FindFileByName(file.name).package == file.package
    assert "PlayAction" in pool.FindServiceByName("argosy.v1.MatchService").methods_by_name


@pytest.mark.parametrize("source", ["zip", "descriptor set"])
def test_a_client_in_typescript_type_checks_and_says_the_same(
    bundle: tuple[Path, Path], source: str, tmp_path: Path
) -> None:
    node = shutil.which("node")
    if node is None or not (PACKAGES / ".bin" / "tsc").exists():
        pytest.skip("needs Node and TypeScript: make typescript installs its packages")
    if source == "zip":
        zipfile.ZipFile(bundle[0]).extractall(tmp_path / "protos")
    for name in ("client.ts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(PACKAGES)
    given = tmp_path / "protos" if source == "zip" else bundle[1]
    run([BUF, "generate", "--include-imports", "--template", json.dumps(TEMPLATE), given], tmp_path)
    run([node, PACKAGES / "typescript" / "bin" / "tsc", "--project", "tsconfig.json"], tmp_path)
    told = json.loads(run([node, "built/client.js"], tmp_path))
    frozen = error_reason_pb2.ERROR_REASON_MATCH_FROZEN
    assert told["facts"] == ["argosy.v1.MatchService", "argosy.rules.v1.DecideActionsRequest", frozen, ""]
    request = pb.PlayActionRequest.FromString(bytes(told["request"]))
    action = sirenen.Action()
    assert request.action.Unpack(action)
    assert action == sirenen.Action(keep_start_card=sirenen.KeepStartCard(card=0))
    assert (request.name, request.seat, request.request_id) == ("matches/" + "0" * 26, 1, "0123456789abcdef")
