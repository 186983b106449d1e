"""Generates protos/python from the protos, checks that it is fresh, and lints the protos.

    python protos/generate.py write | check | lint

`check` exits 1 and names the files that differ. Needs the packages of deploy/requirements.lock, no network.
"""

import filecmp
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import resources
from pathlib import Path

HERE = Path(__file__).parent
OUT = HERE / "python"
SCRIPTS = Path(sysconfig.get_path("scripts"))
SITE = Path(sysconfig.get_path("purelib"))


def main() -> int:
    """Runs the command named by the first argument; returns the exit code."""
    command = sys.argv[1] if len(sys.argv) == 2 else ""
    commands = {"write": write, "check": check, "lint": lint}
    if command not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[command]()


def write() -> int:
    """Replaces protos/python by what the protos give now."""
    shutil.rmtree(OUT, ignore_errors=True)
    return _generate(OUT)


def check() -> int:
    """Compares protos/python with what the protos give now."""
    with tempfile.TemporaryDirectory() as fresh:
        if code := _generate(Path(fresh)):
            return code
        stale = sorted(_differences(OUT, Path(fresh)))
    for name in stale:
        print(f"protos/python/{name} is not what the protos give: run 'make protos'", file=sys.stderr)
    return 1 if stale else 0


def lint() -> int:
    """Runs buf lint over the protos, with Google's common protos beside them."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        shutil.copytree(HERE / "argosy", root / "argosy")
        shutil.copytree(SITE / "google", root / "google", ignore=_all_but_protos)
        shutil.copy(HERE / "buf.yaml", root / "buf.yaml")
        return subprocess.run([SCRIPTS / "buf", "lint"], cwd=root, check=False).returncode


def _all_but_protos(folder: str, names: list[str]) -> set[str]:
    return {n for n in names if not n.endswith(".proto") and not (Path(folder) / n).is_dir()}


def _generate(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    files = sorted(p.relative_to(HERE).as_posix() for p in (HERE / "argosy").rglob("*.proto"))
    well_known = resources.files("grpc_tools") / "_proto"
    services = [f for f in files if f.endswith("_service.proto")]
    base = [sys.executable, "-m", "grpc_tools.protoc", f"-I{HERE}", f"-I{SITE}", f"-I{well_known}"]
    base += [f"--plugin=protoc-gen-mypy={SCRIPTS / 'protoc-gen-mypy'}"]
    base += [f"--plugin=protoc-gen-mypy_grpc={SCRIPTS / 'protoc-gen-mypy_grpc'}"]
    messages = subprocess.run([*base, f"--python_out={out}", f"--mypy_out=quiet:{out}", *files], check=False)
    if messages.returncode or not services:
        return messages.returncode
    plugins = [f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}"]
    return subprocess.run([*base, *plugins, *services], check=False).returncode


def _differences(old: Path, new: Path) -> set[str]:
    names = {p.relative_to(root).as_posix() for root in (old, new) for p in root.rglob("*.py*") if p.suffix != ".pyc"}
    return {n for n in names if not _same(old / n, new / n)}


def _same(a: Path, b: Path) -> bool:
    return a.exists() and b.exists() and filecmp.cmp(a, b, shallow=False)


if __name__ == "__main__":
    sys.exit(main())
