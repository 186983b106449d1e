"""`argosy up`: a whole platform on this machine, in the foreground."""

import asyncio
import json as json_module
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from deploy.local.processes import Addresses, Platform
from deploy.local.supervisor import up as run_platform
from gateway.cli.options import DEFAULT_SERVER, OWN_VARIABLES, Json


def up(
    *,
    data: Annotated[Path, typer.Option(file_okay=False, help="The data directory: matches, accounts, keys.")] = Path(
        "data"
    ),
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="The public address; port 0 takes a free one.")] = (
        DEFAULT_SERVER
    ),
    games: Annotated[str, typer.Option(help="The games to run here, with commas between; or all.")] = "all",
    rules: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=HOST:PORT", help="A rules service elsewhere; repeatable."),
    ] = None,
    gateways: Annotated[int, typer.Option(min=1, max=64, help="Gateway processes at the public address (Linux).")] = 1,
    rules_replicas: Annotated[int, typer.Option(min=1, max=64, help="Processes for the rules of each game.")] = 1,
    tls_cert: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Certificate of the public address (PEM).")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(dir_okay=False, help="Its private key (PEM).")] = None,
    json: Json = False,
) -> None:
    """Runs a platform until Ctrl-C: embedded Valkey, rules, gateway, matchmaking, replay, bots.

    Started again on the same data, it goes on with every match. Its settings are ARGOSY_* variables. Exit code 2
    when it cannot start: a port taken, a data directory in use.
    """
    environ = {n: v for n, v in os.environ.items() if n.startswith("ARGOSY_") and n not in OWN_VARIABLES}
    environ |= {f"ARGOSY_TLS_{n}": str(file.resolve()) for n, file in (("CERT", tls_cert), ("KEY", tls_key)) if file}
    platform = Platform(
        data,
        listen=listen,
        gateways=gateways,
        rules_replicas=rules_replicas,
        rules=_elsewhere(rules or []),
        games=_chosen(games, rules or []),
        environ=environ,
    )
    if sys.stderr.isatty():
        typer.echo("Starting; it takes some seconds …", err=True)
    asyncio.run(run_platform(platform, on_ready=lambda addresses: _tell(addresses, as_json=json)))


def _chosen(games: str, rules: list[str]) -> tuple[str, ...] | None:
    """The games to run here; None for all."""
    chosen = None if games == "all" else tuple(game.strip() for game in games.split(",") if game.strip())
    if chosen == () and not rules:
        raise typer.BadParameter("names no game", param_hint="--games")
    return chosen


def _elsewhere(rules: list[str]) -> dict[str, str]:
    named = dict(rule.partition("=")[::2] for rule in rules)
    if not all(name and ":" in address for name, address in named.items()):
        raise typer.BadParameter("must be NAME=HOST:PORT", param_hint="--rules")
    return named


def _tell(addresses: Addresses, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json_module.dumps(asdict(addresses)))
        return
    typer.echo(f"gateway      {addresses.gateway}")
    typer.echo(f"store        {addresses.redis}")
    for game, replicas in sorted(addresses.rules.items()):
        for address in _each(replicas):
            typer.echo(f"rules        {address}  {game}")
    if addresses.matchmaking:
        typer.echo(f"matchmaking  {addresses.matchmaking}")
    typer.echo(f"replay       {addresses.replay}")
    typer.echo("Ctrl-C stops it; the data stays.")


def _each(replicas: str) -> list[str]:
    """The addresses of a game's rules, each of which bears its scheme."""
    scheme, colon, paths = replicas.partition(":")
    return [replicas] if "," not in replicas else [f"{scheme}{colon}{path}" for path in paths.split(",")]
