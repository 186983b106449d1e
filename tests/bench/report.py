"""What a run has found: printed as it comes, kept for the README and for JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.tables import markdown, plain

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
_ABOUT = """`make bench` measures what a move costs in server CPU, by the processes' own accounting, each side in turn
in one run, and what else stands below. `PARTS="moves ceilings"` names some of its parts, `PARTS=--quick` takes minutes.
Of several rounds the medians count. boardgame.io keeps its matches in memory; Argosy's moves are on disk before they
are answered. The command itself writes this section (`--readme README.md`)."""


@dataclass
class Report:
    """The tables of a run, and all its figures by part. `path` is where the figures go as JSON after each part."""

    about: Mapping[str, str]
    path: Path
    figures: dict[str, Any] = field(default_factory=dict)
    _tables: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Says on what and how is measured."""
        print("".join(f"- {key}: {value}\n" for key, value in self.about.items()), flush=True)

    def show(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Prints a table, and keeps it."""
        table = markdown(title, headers, rows)
        self._tables.append(table)
        print(table, flush=True)

    def note(self, text: str) -> None:
        """Prints a line, and keeps it."""
        self._tables.append(f"{text}\n")
        print(text, flush=True)

    def keep(self, part: str, found: Any) -> None:
        """Keeps what a part has measured, at once on disk: a run takes long."""
        self.figures[part] = found
        self.path.write_text(json.dumps({"about": self.about, **self.figures}, default=plain, indent=1) + "\n")

    def write_readme(self, readme: Path) -> None:
        """Writes the figures into the README, between the comments that mark their place."""
        text = readme.read_text()
        before, _, rest = text.partition(BEGIN)
        _, found, after = rest.partition(END)
        if not found:
            raise ValueError(f"{readme} has no place for figures")
        about = "".join(f"- {key}: {value}\n" for key, value in self.about.items())
        section = "\n\n".join([BEGIN, _ABOUT, about.rstrip(), *(table.rstrip() for table in self._tables), END])
        readme.write_text(before + section + after)
