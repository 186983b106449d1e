import os
import subprocess
import sys
from pathlib import Path

import pytest


def argosy(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway.cli", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **variables},
    )


def test_help_names_every_command() -> None:
    shown = argosy("--help", NO_COLOR="1")
    assert shown.returncode == 0
    assert "\x1b[" not in shown.stdout
    for command in (
        "up",
        "demo",
        "keys",
        "bots",
        "conform",
        "play",
        "watch",
        "replay",
        "replay reindex",
        "matches",
        "inspect",
        "export",
        "repair",
    ):
        assert command in shown.stdout


def test_help_wraps_paragraphs_and_not_the_lines_of_the_source() -> None:
    shown = argosy("play", "--help", NO_COLOR="1", COLUMNS="80").stdout
    assert "request that is refused, 2 when no platform answers." in shown
    assert "Exit codes: 0 well" in argosy("--help", NO_COLOR="1", COLUMNS="80").stdout


@pytest.mark.parametrize("words", [("replay", "reindex"), ("reindex",)])
def test_reindex_is_told_apart_from_a_match(words: tuple[str, ...], tmp_path: Path) -> None:
    failed = argosy(*words, "--data", str(tmp_path))
    assert failed.returncode == 2
    assert "no platform runs on" in failed.stderr
    assert "Begin after this entry" in argosy("replay", "--help", NO_COLOR="1").stdout


def test_a_command_does_not_import_what_another_one_needs() -> None:
    program = "import sys; from gateway.cli.app import app; import gateway.cli.up; print('sqlalchemy' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "False"


@pytest.mark.parametrize(
    "words", [["conform"], ["nonsense"], ["bots", "--number", "0", "toy"], ["up", "--rules", "toy=127.0.0.1"]]
)
def test_wrong_usage_is_exit_code_2_without_a_traceback(words: list[str]) -> None:
    failed = argosy(*words)
    assert failed.returncode == 2
    assert failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("up", "--data", "{file}/data"),
        ("up", "--games", ","),
        ("keys", "create", "x", "--scope", "host", "--data", "{file}/data"),
        ("matches", "--credentials", "{file}"),
        ("matches", "--credentials", "{file}/credentials.json"),
        ("matches", "--server", ""),
        ("matches", "--key", "\u00e9"),
        ("matches", "--ca", "{file}"),
        ("watch", "x", "--as", "99999999999"),
        ("replay", "x", "--at", "99999999999"),
        ("inspect", "x", "--as", "99999999999"),
        ("repair", "x"),
    ],
)
def test_what_cannot_be_used_is_told_without_a_traceback(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe")
    failed = argosy(*(word.format(file=tmp_path / "file") for word in words))
    assert failed.returncode == 2
    assert failed.stderr
    assert "Traceback" not in failed.stderr
