"""Generated protos are what the protos give, and nothing published breaks."""

import io
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BUF = Path(sysconfig.get_path("scripts")) / "buf"


def test_the_generated_protos_are_fresh() -> None:
    checked = subprocess.run(
        [sys.executable, "protos/generate.py", "check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_a_field_renumbered_is_found(tmp_path: Path) -> None:
    """The rules for breaking changes are on: against themselves with one number changed, the protos break."""
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        (folder / "argosy").mkdir(parents=True)
        (folder / "buf.yaml").write_text((ROOT / "protos/buf.yaml").read_text())
        (folder / "argosy/one.proto").write_text('syntax = "proto3";\npackage argosy;\nmessage One { int32 a = 1; }\n')
    assert breaking(new, old).returncode == 0
    path = new / "argosy/one.proto"
    path.write_text(path.read_text().replace("a = 1", "a = 2"))
    assert breaking(new, old).returncode == 100


def test_nothing_released_breaks(tmp_path: Path) -> None:
    tag = git("describe", "--tags", "--abbrev=0", "--match", "v*")
    if tag.returncode:
        pytest.skip("nothing is released yet: there is no tag v*")
    archive = git("archive", tag.stdout.decode().strip(), "protos").stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as released:
        released.extractall(tmp_path, filter="data")
    found = breaking(with_google(ROOT / "protos", tmp_path / "new"), with_google(tmp_path / "protos", tmp_path / "old"))
    assert found.returncode == 0, found.stdout


def breaking(new: Path, old: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BUF, "breaking", "--against", old], cwd=new, capture_output=True, text=True, check=False)


def with_google(protos: Path, target: Path) -> Path:
    """A folder with these protos and the ones of Google that they import, as `protos/generate.py lint` has it."""
    site = Path(sysconfig.get_path("purelib"))
    for source in (*(protos / "argosy").rglob("*.proto"), *(site / "google").rglob("*.proto")):
        base = protos if source.is_relative_to(protos) else site
        place = target / source.relative_to(base)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source.read_bytes())
    (target / "buf.yaml").write_bytes((protos / "buf.yaml").read_bytes())
    return target


def git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
