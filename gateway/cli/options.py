"""Options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer

DEFAULT_SERVER = "127.0.0.1:7600"
OWN_VARIABLES = ("ARGOSY_SERVER", "ARGOSY_KEY")
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
