"""The demo as a user runs it, with few matches."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ARGOSY = (sys.executable, "-m", "gateway.cli")


@pytest.mark.parametrize("way", [[], ["--host-made"]], ids=["by_tickets", "host_made"])
def test_a_few_matches_are_seated_played_archived_audited_and_replayed(way: list[str]) -> None:
    shown = subprocess.run(
        [*ARGOSY, "demo", "--games", "sirenen", "--matches", "3", "--json", *way],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert shown.returncode == 0, shown.stderr
    summary = json.loads(shown.stdout)
    assert summary["is_well"]
    assert summary["histories_audited"] == summary["archived"] == summary["matches"] == 3
    assert summary["replays_equal"] == summary["seats"] == 6
    assert summary["entries_audited"] == summary["games"]["sirenen"]["entries"] > summary["moves"] > 0
    stages = [line.partition(" ")[0].rstrip(":") for line in shown.stderr.splitlines() if line.endswith("…")]
    assert stages == ["Starting", "Seating", "Playing", "Archiving", "Checking"]
    assert ("ticket" in shown.stderr) is not bool(way)


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for the sockets beneath it; pytest's own may be too long for that."""
    with tempfile.TemporaryDirectory(prefix="d-") as name:
        yield Path(name)


def test_an_interrupt_ends_everything_without_a_traceback(short_folder: Path) -> None:
    running = subprocess.Popen(
        [*ARGOSY, "demo", "--games", "sirenen", "--matches", "40"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(short_folder)},
    )
    assert running.stdout is not None
    while "running" not in (line := running.stdout.readline()):
        assert line, running.communicate(timeout=60)[1]
    running.send_signal(signal.SIGINT)
    _, complaints = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in complaints
    deadline = time.monotonic() + 60
    while list(short_folder.glob("argosy-demo-*")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not list(short_folder.glob("argosy-demo-*"))
