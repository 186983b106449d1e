"""What a person was asked once and is not asked again; kept in a file of theirs, by game."""

import json
from pathlib import Path


class Habits:
    """Answers by question. A file that cannot be read counts as empty; one that cannot be written is let be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, bool] = {}
        self._for_now: dict[str, bool] = {}
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            return
        if isinstance(found, dict):
            self._kept = {str(key): bool(value) for key, value in found.items()}

    def answer(self, question: str) -> bool | None:
        """What was answered; None if it was not asked yet."""
        return self._for_now.get(question, self._kept.get(question))

    def forget(self) -> None:
        """Asks everything anew."""
        self._kept, self._for_now = {}, {}
        self._write()

    def keep(self, question: str, answer: bool, *, for_good: bool) -> None:
        """Remembers an answer: in the file, or as long as this lasts."""
        if not for_good:
            self._for_now[question] = answer
            return
        self._kept[question] = answer
        self._write()

    def _write(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._kept, indent=1) + "\n")
        except OSError:
            return
