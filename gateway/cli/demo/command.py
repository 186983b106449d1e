"""The command: a platform in a folder of its own, matches on it, then the checks."""

import asyncio
import os
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer
from argosy.client import Client
from rich.console import Console

from deploy.local.processes import Platform, found_games
from deploy.local.supervisor import running
from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.store import open_store, sqlite_url
from gateway.cli.demo.checking import Findings, check_all
from gateway.cli.demo.progress import Board, tell
from gateway.cli.demo.seating import samples_of, seat_matches
from gateway.cli.demo.summary import summarize, write
from gateway.cli.demo.workers import playing
from gateway.cli.options import Json
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings

# Bots play faster than people: what one key or player may ask in a second must not be what is measured.
_LIMITS = {"ARGOSY_PLAYER_RATE": "2000", "ARGOSY_PLAYER_BURST": "4000", "ARGOSY_SIGN_IN_BURST": "10000"}


def demo(
    games: Annotated[str, typer.Option(help="The games, with commas between; or all.")] = "all",
    matches: Annotated[int, typer.Option(min=1, help="How many matches, all at once.")] = 200,
    policy: Annotated[str, typer.Option(help="How the bots choose: random or sensible.")] = "sensible",
    workers: Annotated[int, typer.Option(min=1, help="Processes whose bots play.")] = 1,
    json: Json = False,
) -> None:
    """Plays matches by bots on a platform of its own, then audits every history and replays every seat.

    Exit code 0 when all is well, 1 with the first difference, 2 when it cannot start. Needs no network.
    """
    chosen = _chosen(games)
    progress = Console(stderr=json)
    summary = asyncio.run(_demo(chosen, matches, workers, policy, progress))
    write(summary, Console(file=sys.stdout), as_json=json)
    raise typer.Exit(0 if summary["is_well"] else 1)


def _chosen(games: str) -> tuple[str, ...]:
    found = found_games()
    chosen = found if games == "all" else tuple(game.strip() for game in games.split(",") if game.strip())
    if not chosen or set(chosen) - set(found):
        raise typer.BadParameter(f"{games!r}: must be of {', '.join(found)}", param_hint="--games")
    return chosen


async def _demo(games: tuple[str, ...], count: int, workers: int, policy: str, console: Console) -> dict[str, object]:
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="argosy-demo-")))
        console.print(f"Starting a platform for {', '.join(games)} …", highlight=False)
        platform = Platform(data, listen="127.0.0.1:0", games=games, environ=_LIMITS)
        addresses = await stack.enter_async_context(running(platform))
        assert addresses is not None  # nobody tells it to stop
        key = await _make_key(data)
        host = await stack.enter_async_context(Client.connect(addresses.gateway, key=key))
        samples = samples_of([await host.game(game) for game in games], count)
        board = Board(await seat_matches(host, samples))
        console.print(f"{count} matches have begun; bots play them over Play.", highlight=False)
        async with playing(addresses.gateway, board.matches, workers, policy, board.hear):
            await tell(board, console)
        console.print("Checking every history and every seat …", highlight=False)
        async with open_log(RedisSettings(redis_url=addresses.redis)) as log:
            findings = await check_all(host, log, addresses.rules, board, Findings())
        return summarize(board, findings)


async def _make_key(data: Path) -> str:
    store = await open_store(sqlite_url(data))
    try:
        _, secret = await ApiKeys(store).create("demo", ("host", "play"), os.urandom(16).hex())
    finally:
        await store.close()
    return secret
