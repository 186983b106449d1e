"""What people read: plain lines of at most 80 columns, colours beside the letters where the terminal has them."""

import os
import sys
import textwrap
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

WIDTH: Final = 80
_CONTROLS: Final = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SHOWN: Final = {code: "\ufffd" for code in _CONTROLS if chr(code) not in "\n\t"}
"""What others wrote must not steer the terminal."""


class _Console(Console):
    """Ends the command as any failure does when nobody reads it any more: rich's own way out leaves tasks behind."""

    def on_broken_pipe(self) -> None:
        """Writes nothing more, not even what is buffered."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise BrokenPipeError


class Screen:
    """Writes to one terminal, pipe or file. NO_COLOR and pipes get letters alone."""

    def __init__(self, file: TextIO = sys.stdout) -> None:
        self._console = _Console(file=file, width=WIDTH, highlight=False, markup=False, emoji=False, soft_wrap=True)

    @property
    def is_terminal(self) -> bool:
        """Whether a person may be looking."""
        return self._console.is_terminal

    def draw(self, text: str) -> None:
        """A drawing, as it is."""
        self._write(text.rstrip("\n"), "")

    def tell(self, text: str) -> None:
        """What happened."""
        self._wrapped(text, "cyan")

    def say(self, text: str) -> None:
        """What the program has to say itself."""
        self._wrapped(text, "")

    def warn(self, text: str) -> None:
        """What went wrong."""
        self._wrapped(text, "yellow")

    def head(self, text: str) -> None:
        """What comes now."""
        self._wrapped(text, "bold")

    def ask(self, text: str) -> None:
        """A prompt; the answer stands behind it."""
        self._console.print(self._styled(text, "bold"), end=" ")
        self._console.file.flush()

    def line(self, text: str = "") -> None:
        """A line as it is."""
        self._write(text, "")

    def wipe(self) -> None:
        """Takes everything off the terminal, what has scrolled away included."""
        if self.is_terminal:
            self._console.file.write("\x1b[2J\x1b[3J\x1b[H")
        self._console.file.flush()

    def _wrapped(self, text: str, style: str) -> None:
        for line in text.splitlines():
            self._write(textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False), style)

    def _write(self, text: str, style: str) -> None:
        self._console.print(self._styled(text, style))
        self._console.file.flush()

    def _styled(self, text: str, style: str) -> Text:
        return Text(text.translate(_SHOWN), style="" if self._console.no_color else style)
