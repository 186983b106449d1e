"""The README as a newcomer takes it: its programs are run against a local platform, its commands exist."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from deploy import settings_table

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines()]
PLACE = "localhost:7600"
SCRIPTS = sysconfig.get_path("scripts")


def blocks(language: str) -> list[str]:
    found = [block for name, block in BLOCKS if name == language]
    assert found, f"the README has no {language} any more"
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a platform started by the command that the README names."""
    data = tmp_path_factory.mktemp("readme")
    words = ["up", "--data", str(data), "--listen", "127.0.0.1:0", "--games", "sirenen", "--json"]
    running = subprocess.Popen([f"{SCRIPTS}/argosy", *words], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert running.stdout is not None
    told = running.stdout.readline()
    try:
        assert told, "argosy up did not start"
        yield json.loads(told)["gateway"]
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 0


def run(*words: str) -> str:
    """What the program writes; it must end well, with the environment's commands on its path."""
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=100, env={**os.environ, "PATH": path}
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_python_client_plays_a_match(server: str, tmp_path: Path) -> None:
    (program,) = blocks("python")
    file = tmp_path / "client.py"
    file.write_text(program.replace(PLACE, server))
    assert PLACE in program
    moves, end = run(sys.executable, str(file)).rstrip().rsplit("\n", 1)
    assert moves.count("\n") > 3
    assert re.fullmatch(r"[A-Z_]+ \[[01.]+, [01.]+\]", end)


def test_the_python_client_has_ten_lines() -> None:
    (program,) = blocks("python")
    body = program.partition("async def main() -> None:\n")[2].partition("\nasyncio.run")[0].strip("\n")
    assert len(body.splitlines()) <= 10


def test_buf_curl_plays_an_action(server: str) -> None:
    (script,) = blocks("bash")
    assert PLACE in script
    written = run("bash", "-euo", "pipefail", "-c", script.replace(PLACE, server))
    assert '"@type": "type.googleapis.com/argosy.games.sirenen.v1.Position"' in written
    assert '"version": ' in written


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_exists(line: str) -> None:
    words = shlex.split(line)
    if words[0] == "make":
        targets = [word for word in words[1:] if "=" not in word]
        assert all(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) for target in targets)
    elif words[0] == ".venv/bin/argosy":
        told = run(f"{SCRIPTS}/argosy", words[1], "--help")
        assert not [word for word in words[2:] if word.startswith("--") and word not in told]
    else:
        assert words[:2] == [".venv/bin/python", "-m"], f"what is {line!r}?"
        assert find_spec(words[2])


def test_the_settings_are_the_settings() -> None:
    assert settings_table.fill(TEXT) == TEXT, "run: python -m deploy.settings_table README.md"


def test_paths_in_the_readme_exist() -> None:
    named = set(re.findall(r"`((?:protos|services|gateway|deploy|tests)/[\w./-]+)`", TEXT))
    own = {name for name in named if "mygame" not in name}
    assert len(own) > 10
    assert not [name for name in own if not (ROOT / name).exists()]
