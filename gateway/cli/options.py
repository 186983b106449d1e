"""Options that several commands share."""

from typing import Annotated

import typer

DEFAULT_SERVER = "127.0.0.1:7600"

Server = Annotated[
    str, typer.Option("--server", envvar="ARGOSY_SERVER", metavar="HOST:PORT", help="The platform; https:// for TLS.")
]
Key = Annotated[
    str,
    typer.Option(
        "--key", envvar="ARGOSY_KEY", show_envvar=True, help="An API key; better given by the variable than typed."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
