"""The `argosy` command, put together from its commands."""

from difflib import get_close_matches
from importlib import import_module, metadata
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from gateway.cli.options import add_ca

_COMMANDS: Final = {
    "up": "gateway.cli.up",
    "play": "gateway.cli.play.command",
    "watch": "gateway.cli.watch",
    "replay": "gateway.cli.replay",
    "replay reindex": "gateway.cli.reindex",
    "matches": "gateway.cli.matches",
    "record": "gateway.cli.record",
    "inspect": "gateway.cli.inspect",
    "accesses": "gateway.cli.accesses",
    "knew": "gateway.cli.knew",
    "export": "gateway.cli.export",
    "verify": "gateway.cli.verify.command",
    "abort": "gateway.cli.abort",
    "rule": "gateway.cli.rule",
    "rulings": "gateway.cli.rulings",
    "disclose": "gateway.cli.disclose",
    "repair": "gateway.cli.repair",
    "demo": "gateway.cli.demo.command",
    "bots": "gateway.cli.bots",
    "conform": "gateway.cli.conform",
    "keys": "gateway.cli.keys",
    "doctor": "gateway.cli.doctor",
}
"""The module of each command, in which it stands by the last word of its name."""
_HIDDEN: Final = {"reindex": "replay reindex"}


class Commands(TyperGroup):
    """Imports a command's module when it is wanted: all of them together take a second and more."""

    def list_commands(self, _: object) -> list[str]:
        """The names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, _: object, name: str) -> TyperCommand | TyperGroup | None:
        """The command of this name; None where there is none."""
        name = _HIDDEN.get(name, name)
        return _load(name) if name in _COMMANDS else None

    def resolve_command(self, context: Any, words: list[str]) -> tuple[str | None, Any, list[str]]:
        """Finds a command of two words before one of the first alone: no match is called `reindex`."""
        if (both := " ".join(words[:2])) in _COMMANDS and len(words) > 1:
            return both, self.get_command(context, both), words[2:]
        is_known = not words or words[0] in _COMMANDS or words[0] in _HIDDEN
        near = [] if is_known else get_close_matches(words[0], _COMMANDS, n=1)
        if near:
            context.fail(f"there is no command {words[0]!r}; did you mean {near[0]}?")
        return super().resolve_command(context, words)


def _load(name: str) -> TyperCommand | TyperGroup:
    found = getattr(import_module(_COMMANDS[name]), name.rpartition(" ")[2])
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    assert isinstance(command, TyperCommand | TyperGroup)
    command.name = name
    add_ca(command)
    _join_lines(command)
    return command


def _join_lines(command: TyperCommand | TyperGroup) -> None:
    """Makes one line of each paragraph of the help: typer keeps the lines of the source, and wraps them once more."""
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n"))
    for part in command.commands.values() if isinstance(command, TyperGroup) else ():
        if isinstance(part, TyperCommand | TyperGroup):
            _join_lines(part)


app = typer.Typer(
    name="argosy",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks show local variables: hands, keys
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(metadata.version("argosy-platform"))
        raise typer.Exit


@app.callback()
def argosy(
    version: Annotated[  # the callback acts on it
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version and exit.")
    ] = False,
) -> None:
    """Hosts turn-based board games: start a platform, look after it, play on it.

    Exit codes: 0 well, 1 a check or request failed, 2 wrong usage or a start that failed, 130 interrupted.
    """
