"""What was looked at, how it is, and what follows from that."""

import enum
from dataclasses import asdict, dataclass


class Level(enum.StrEnum):
    """How bad it is: FAULT where the platform refuses to serve or would lose something, WARNING where it costs."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `costs` is what a shortcoming costs, `mend` what to do about it."""

    level: Level
    subject: str
    found: str
    costs: str = ""
    mend: str = ""

    def told(self) -> dict[str, str]:
        """For scripts."""
        return {name: str(value) for name, value in asdict(self).items()}


def ok(subject: str, found: str) -> Finding:
    """As it should be."""
    return Finding(Level.OK, subject, found)


def warning(subject: str, found: str, costs: str, mend: str) -> Finding:
    """Works, at a cost."""
    return Finding(Level.WARNING, subject, found, costs, mend)


def fault(subject: str, found: str, costs: str, mend: str) -> Finding:
    """Does not work, or loses something."""
    return Finding(Level.FAULT, subject, found, costs, mend)
