"""What was checked, and how it came out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

_LONGEST: Final = 400


class Mark(Enum):
    """How a check came out."""

    HOLDS = "✓"
    FAILS = "✗"
    OPEN = "–"  # noqa: RUF001  # a dash, as documented


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `version` is the first entry that fails it; 0 where it concerns no single one."""

    name: str
    mark: Mark
    text: str = ""
    version: int = 0

    def __str__(self) -> str:
        where = f"version {self.version}: " if self.version else ""
        return f"{self.mark.value} {self.name:<14} {where}{self.text}".rstrip()


class Wrong(Exception):
    """Something does not hold. The text holds no hidden value."""

    def __init__(self, version: int, text: str) -> None:
        super().__init__(text)
        self.version = version


class Impossible(Exception):
    """Nobody can check this here and now."""


@dataclass
class Report:
    """The checks of one file. `essential` are those without which a history is not verified."""

    essential: Sequence[str]
    checks: list[Check] = field(default_factory=list)
    ruled: str = ""  # what the match counts as by the rulings in the file, whoever signed them

    def run(self, name: str, check: Callable[[], str]) -> None:
        """Makes a check; what it returns says what was seen."""
        try:
            self.add(name, Mark.HOLDS, check())
        except Wrong as wrong:
            self.add(name, Mark.FAILS, str(wrong), wrong.version)
        except Impossible as impossible:
            self.add(name, Mark.OPEN, str(impossible))
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:  # of a file made for it
            self.add(name, Mark.FAILS, f"nothing that a platform makes is so ({type(error).__name__})")

    def add(self, name: str, mark: Mark, text: str = "", version: int = 0) -> None:
        """A check that was made. `text` may hold what the file says: it is told on one line, as letters and signs."""
        self.checks.append(Check(name, mark, printable(text), version))

    @property
    def failures(self) -> list[Check]:
        """What fails, the earliest entry first."""
        failed = [check for check in self.checks if check.mark is Mark.FAILS]
        return sorted(failed, key=lambda check: check.version or 1 << 31)

    @property
    def exit_code(self) -> int:
        """1 where something fails, 3 where something essential is open, else 0."""
        if self.failures:
            return 1
        held = {check.name for check in self.checks if check.mark is Mark.HOLDS}
        return 0 if held >= set(self.essential) else 3

    def fields(self) -> dict[str, Any]:
        """The report for JSON."""
        first = self.failures[0] if self.failures else None
        return {
            "exit_code": self.exit_code,
            "first_failure": _fields(first) if first else None,
            "ruled": self.ruled,
            "checks": [_fields(check) for check in self.checks],
        }


def printable(text: str) -> str:
    """The text without what moves a cursor, begins a line or hides what is said: a file may hold that."""
    told = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in told)


def _fields(check: Check) -> dict[str, Any]:
    return {"check": check.name, "mark": check.mark.value, "version": check.version, "text": check.text}
