"""`argosy conform`: whether a rules service keeps the contract."""

from typing import Annotated

import typer

from gateway.cli.options import Json
from gateway.cli.programs import run_program


def conform(
    address: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The rules service.")],
    json: Json = False,
) -> None:
    """Checks a rules service against the contract, for each of its games.

    Exit code 1 when it breaks it, 2 when it cannot be reached.
    """
    run_program("services.rules.conform", [address, *(["--json"] if json else [])])
