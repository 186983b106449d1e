"""Compiles the toy game's messages, which are not among the generated ones, into a folder of the test's."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from services.rules.loading import Loaded, load

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
GAME = "secret_nim"
MODULE = f"tests.toy_game.{GAME}"


def compile_messages(out: Path) -> None:
    """Writes `argosy/games/secret_nim/v1/secret_nim_pb2.py` under `out`; put `out` on the path to use it."""
    well_known = resources.files("grpc_tools") / "_proto"
    folders = [f"-I{HERE}", f"-I{ROOT / 'protos'}", f"-I{well_known}"]
    command = [sys.executable, "-m", "grpc_tools.protoc", *folders, f"--python_out={out}"]
    subprocess.run([*command, f"argosy/games/{GAME}/v1/{GAME}.proto"], check=True)


def vary(folder: Path, *changes: tuple[str, str]) -> Loaded:
    """The toy game with some texts replaced, as a package in `folder` of its own, which `package` names."""
    package = f"varied_{abs(hash(changes))}"
    source = (HERE / GAME / "__init__.py").read_text()
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    game = folder / package / GAME
    (game / "data").mkdir(parents=True)
    (game / "data" / "cards.json").write_text("{}")
    (game / "__init__.py").write_text(source)
    (folder / package / "__init__.py").touch()
    with on_path(folder):
        return load(GAME, package)


@contextlib.contextmanager
def on_path(folder: Path) -> Iterator[None]:
    """The folder on this process's import path."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
