"""Runs a program that ends when its parent does, however the parent ends (Linux; elsewhere only when it is told to).

    python tether.py PARENT_PID PROGRAM ARGUMENT...

Run as a file of its own, before anything else is loaded: code between fork and exec would not be safe in a process
with threads. It replaces itself by the program, so that process id and open files are the program's.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ties this process to its parent and becomes the program."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit(0)  # it ended before the tie was made
    os.execv(program[0], program)  # noqa: S606  # the caller's own words, and no shell


if __name__ == "__main__":
    main()
