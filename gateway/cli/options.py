"""Options that several commands share."""

import os
import ssl
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

DEFAULT_SERVER = "127.0.0.1:7600"
OWN_VARIABLES = ("ARGOSY_SERVER", "ARGOSY_KEY", "ARGOSY_CA")
"""Read by this command, not by the processes that it starts."""

MOST = 2**31 - 1
"""The highest seat or version that a request can name."""


class BotPolicy(StrEnum):
    """How bots choose."""

    RANDOM = "random"
    SENSIBLE = "sensible"


def _check_sent(text: str) -> str:
    if not text.isascii() or not text.isprintable():
        raise typer.BadParameter("must be of printable ASCII characters")
    return text


def _check_named(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter("must be HOST:PORT")
    return text


Policy = Annotated[BotPolicy, typer.Option("--policy", help="How the bots choose.")]
Server = Annotated[
    str,
    typer.Option(
        "--server",
        envvar="ARGOSY_SERVER",
        metavar="HOST:PORT",
        callback=_check_named,
        help="The platform; https:// for TLS.",
    ),
]
Key = Annotated[
    str,
    typer.Option(
        "--key",
        envvar="ARGOSY_KEY",
        show_envvar=True,
        callback=_check_sent,
        help="An API key; better given by the variable than typed.",
    ),
]
Language = Annotated[str, typer.Option(help="Of labels and sentences: en, de.")]
Seat = Annotated[int | None, typer.Option("--as", min=0, max=MOST, metavar="SEAT", help="As this seat of yours.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def add_ca(command: TyperCommand | TyperGroup) -> None:
    """Gives a command that has a server the option `--ca` as well; it holds for all connections of the program."""
    if any(parameter.name == "server" for parameter in command.params):
        alone = typer.Typer()
        alone.command()(_trust)
        (option,) = (p for p in typer.main.get_command(alone).params if p.name == "ca")
        option.expose_value = False
        command.params.append(option)


def _set_trusted(file: Path | None) -> Path | None:
    """Says it to the gRPC library, which reads the variable at its first secure connection, also in what we start."""
    if file is not None:
        _check_certificates(file)
        os.environ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"] = str(file.resolve())
    return file


def _check_certificates(file: Path) -> None:
    """Says it before the gRPC library does, which logs ten lines and then finds no platform."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except ssl.SSLError:
        raise typer.BadParameter(f"{file} holds no certificate in PEM form") from None


def _trust(
    ca: Annotated[
        Path | None,
        typer.Option(
            "--ca",
            envvar="ARGOSY_CA",
            exists=True,
            dir_okay=False,
            callback=_set_trusted,
            help="A PEM file: with TLS, trust who is signed by these alone.",
        ),
    ] = None,
) -> None:
    """Carries the option."""
