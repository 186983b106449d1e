"""`argosy bots`: matches that play themselves."""

import os
from typing import Annotated

import typer

from gateway.cli.options import DEFAULT_SERVER, BotPolicy, Json, Key, Policy, Server
from gateway.cli.programs import run_program


def bots(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many matches, all at once.")] = 1,
    policy: Policy = BotPolicy.SENSIBLE,
    *,
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    json: Json = False,
) -> None:
    """Plays matches of a game by bots that see what any client sees, and tells how they ended."""
    arguments = [game, "-n", str(number), "--policy", policy, "--server", server, *(["--json"] if json else [])]
    run_program("services.rules.bots", arguments, environ={**os.environ, **({"ARGOSY_KEY": key} if key else {})})
