"""What a run has found: printed as it comes, and at once written for the README and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.tables import markdown, plain

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
_ABOUT = """Costs are CPU time by the processes' own accounting, the sides of a comparison in turn in one run; medians
count. boardgame.io keeps its matches in memory; Argosy's moves are on disk before they are answered."""


@dataclass
class Report:
    """The tables of a run, and all its figures by part. `path` is for the figures as JSON, `readme` for the tables."""

    about: Mapping[str, str]
    path: Path
    readme: Path | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    _tables: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Says on what and how is measured. Raises ValueError where the README has no place for figures."""
        if self.readme:
            _around(self.readme)
        print(self._machine(), flush=True)

    def show(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Prints a table, and keeps it."""
        self._tell(markdown(title, headers, rows))

    def note(self, text: str) -> None:
        """Prints a line, and keeps it."""
        self._tell(f"{text}\n")

    def keep(self, part: str, found: Any) -> None:
        """Keeps what a part has measured, at once on disk: a run takes long."""
        self.figures[part] = found
        self.path.write_text(json.dumps({"about": self.about, **self.figures}, default=plain, indent=1) + "\n")

    def _tell(self, text: str) -> None:
        self._tables.append(text)
        print(text, flush=True)
        if self.readme:
            before, after = _around(self.readme)
            pieces = [_ABOUT, self._machine(), *self._tables]
            section = "\n\n".join([BEGIN, *(piece.rstrip() for piece in pieces), END])
            self.readme.write_text(before + section + after)

    def _machine(self) -> str:
        return "".join(f"- {key}: {value}\n" for key, value in self.about.items())


def _around(readme: Path) -> tuple[str, str]:
    """What stands before and after the comments that mark the place of the figures."""
    before, _, rest = readme.read_text().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{readme} has no place for figures")
    return before, after
