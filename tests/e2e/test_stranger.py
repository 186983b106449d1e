"""The client as a stranger gets it: installed by pip in a folder of its own, without anything of this repository."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_installed_wheel_gives_the_client(tmp_path: Path) -> None:
    dist, target = tmp_path / "dist", tmp_path / "target"
    run(tmp_path, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(dist), str(ROOT / "gateway/client"))
    (wheel,) = dist.glob("*.whl")
    install = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--target", str(target)]
    run(tmp_path, "-m", "pip", "install", *install, str(wheel))
    # -P and the order of the path: what is found first is the installed client, not the one of this repository.
    lines = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from argosy.client import Client, chain\n"
        "from argosy.v1 import match_service_pb2\n"
        "print(chain.__file__); print(match_service_pb2.__file__); print(Client.connect.__name__)"
    )
    module, protos, name = run(tmp_path, "-P", "-c", lines, str(target)).splitlines()
    assert Path(module).is_relative_to(target)
    assert Path(protos).is_relative_to(target)
    assert name == "connect"


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, timeout=110, cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
