"""Compiles the toy game's messages, which are not among the generated ones, into a folder of the test's."""

import subprocess
import sys
from importlib import resources
from pathlib import Path

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
