"""`argosy replay reindex`: makes the library of matches anew."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.programs import run_program

_OF_REPLAY = ("ARGOSY_REDIS_URL", "ARGOSY_LIBRARY_URL", "ARGOSY_ARCHIVE_URL")


def reindex(
    data: Annotated[Path, typer.Option(file_okay=False, help="The data directory of the platform.")] = Path("data"),
) -> None:
    """Makes the library of matches anew from the store and the archive, while the platform runs.

    Matches that were set aside and can be read again are taken back. Tells on
    stderr how far it is, and prints how many matches were found where.
    """
    told = {name: value for name, value in os.environ.items() if name in _OF_REPLAY}
    if "ARGOSY_REDIS_URL" not in told:
        told["ARGOSY_REDIS_URL"] = _running_store(data)
    others = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
    environ = {**others, **told, "ARGOSY_DATA": str(data)}
    run_program("services.replay", ["reindex"], environ=environ)


def _running_store(data: Path) -> str:
    """The store of the platform that runs on this data directory."""
    try:
        return str(json.loads((data / "addresses.json").read_text())["redis"])
    except (OSError, ValueError, KeyError, TypeError):
        typer.echo(f"no platform runs on {data}: start it, or name its store by ARGOSY_REDIS_URL", err=True)
        raise typer.Exit(2) from None
