"""The `argosy` command, put together from its commands."""

from importlib import metadata
from typing import Annotated

import typer

from gateway.cli.bots import bots
from gateway.cli.conform import conform
from gateway.cli.demo.command import demo
from gateway.cli.export import export
from gateway.cli.inspect import inspect
from gateway.cli.keys import keys
from gateway.cli.matches import matches
from gateway.cli.play.command import play
from gateway.cli.reindex import reindex
from gateway.cli.repair import repair
from gateway.cli.replay import replay
from gateway.cli.up import up
from gateway.cli.watch import watch

app = typer.Typer(
    name="argosy",
    help="Hosts turn-based board games: start a platform, look after it, play on it.",
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


app.command()(up)
app.command()(play)
app.command()(watch)
app.command()(replay)
app.command()(matches)
app.command()(inspect)
app.command()(export)
app.command()(repair)
app.command()(demo)
app.command()(bots)
app.command()(conform)
app.command()(reindex)
app.add_typer(keys, name="keys")
