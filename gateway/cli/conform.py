"""`argosy conform`: whether a rules service keeps the contract."""

from typing import Annotated

import typer

from gateway.cli.options import Json
from gateway.cli.programs import run_program


def conform(
    address: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The rules service.")],
    game: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this game; repeatable.")] = None,
    matches: Annotated[int, typer.Option(min=1, help="Matches of each sample of settings.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Another seed tries other matches.")] = 0,
    json: Json = False,
) -> None:
    """Checks a rules service against the contract, for each of its games.

    Exit code 1 when it breaks it, 2 when it cannot be reached.
    """
    words = [address, "--matches", str(matches), "--seed", str(seed)]
    words += [word for name in game or () for word in ("--game", name)]
    run_program("services.rules.conform", [*words, *(["--json"] if json else [])])
