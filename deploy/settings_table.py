"""The table of settings in the README, made from the settings classes.

    python -m deploy.settings_table [README.md]

Prints the table, or puts it between the two marks of the file named.
"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_type_hints

from services.kit import settings as kit_settings
from services.kit.logs import LogSettings

ROOT: Final = Path(__file__).parent.parent
BEGIN: Final = "<!-- settings: made by python -m deploy.settings_table README.md -->"
END: Final = "<!-- end of settings -->"


def processes() -> dict[str, list[type]]:
    """The module of each process that has settings, and the classes of them: those that hold the log's."""
    found = {}
    for path in sorted([*ROOT.glob("gateway/settings.py"), *ROOT.glob("services/**/settings.py")]):
        if (path.parent / "__main__.py").is_file():
            module = ".".join(path.parent.relative_to(ROOT).parts)
            found[module] = _classes_of(f"{module}.settings")
    return found


def known_variables() -> set[str]:
    """Every ARGOSY_* variable that some process reads."""
    return {variable for classes in processes().values() for variable, *_ in _rows(classes)}


def table() -> str:
    """One row for each variable, in Markdown: shared ones say which processes read them."""
    readers: dict[tuple[str, str, str, str], list[str]] = {}
    for module, classes in processes().items():
        for row in _rows(classes):
            readers.setdefault(row, []).append(module)
    lines = [_line(row, modules, len(processes())) for row, modules in sorted(readers.items())]
    return "\n".join(["| variable | read by | default | meaning |", "| --- | --- | --- | --- |", *lines])


def fill(text: str) -> str:
    """The text with the table between its marks. Raises ValueError when it has no marks."""
    before, found, rest = text.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise ValueError(f"no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def _classes_of(module: str) -> list[type]:
    return [cls for cls in vars(importlib.import_module(module)).values() if _holds_the_log(cls)]


def _rows(classes: list[type]) -> list[tuple[str, str, str, str]]:
    return list(dict.fromkeys(row for cls in classes for row in kit_settings.described(cls)))


def _holds_the_log(cls: Any) -> bool:
    return isinstance(cls, type) and LogSettings in get_type_hints(cls).values()


def _line(row: tuple[str, str, str, str], modules: list[str], of: int) -> str:
    variable, default, unit, says = row
    value = f"`{default}`{f' {unit}' if unit else ''}" if default else "none"
    who = "all" if len(modules) == of > 1 else ", ".join(_short(modules))
    return f"| `{variable}` | {who} | {value} | {says} |"


def _short(modules: list[str]) -> Iterator[str]:
    for module in modules:
        yield "bots" if "bots" in module else module.rpartition(".")[2]


def main() -> int:
    """Prints the table or fills the file that the command line names."""
    if len(sys.argv) < 2:
        sys.stdout.write(table() + "\n")
        return 0
    path = Path(sys.argv[1])
    path.write_text(fill(path.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
