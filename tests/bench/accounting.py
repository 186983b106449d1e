"""What processes have cost, by the system's own accounting."""

import os
import resource
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
CLIENTS = "clients"
"""The role of this process, in which all clients run."""

Pids = Mapping[str, Sequence[int]]
"""The processes of each role."""


def cpu_s(pid: int) -> float:
    """User and system time of a process, all its threads included, since it began; to the nanosecond.

    Linux has a clock for each process; its number is what `clock_getcpuclockid` computes, which Python does not offer.
    """
    return time.clock_gettime(~pid << 3 | 2)


def loop_cpu_s(pid: int) -> float:
    """The same of its first thread alone, which runs the event loop; in steps of 10 ms."""
    fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def used_s() -> float:
    """Seconds of CPU of this process, and of those that it has started and awaited."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def resident_bytes(pid: int) -> int:
    """The memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


def spent(pids: Pids) -> dict[str, float]:
    """Seconds of CPU so far by role, this process as CLIENTS."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    costs = {role: sum(map(cpu_s, each)) for role, each in pids.items()}
    return costs | {CLIENTS: own.ru_utime + own.ru_stime}


def between(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """Seconds of CPU from one reading to the next."""
    return {role: after[role] - before[role] for role in after}
