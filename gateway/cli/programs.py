"""Runs the platform's other programs, each a process of its own."""

import subprocess
import sys
from collections.abc import Mapping, Sequence

import typer


def run_program(
    module: str, arguments: Sequence[str], *, environ: Mapping[str, str] | None = None, given: bytes | None = None
) -> None:
    """Runs `python -m module`, in this terminal, and leaves with its exit code. `given` is its standard input.

    An interrupt reaches it as well as this process; it is waited for, so that it ends in its own way.
    """
    source = None if given is None else subprocess.PIPE
    words = [sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(words, env=environ, stdin=source)  # noqa: S603  # our own modules
    if given is not None:
        process.communicate(given)
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            continue
        raise typer.Exit(128 - code if code < 0 else code)
