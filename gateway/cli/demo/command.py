"""The command: a platform in a folder of its own, matches on it, then the checks."""

import asyncio
import os
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from argosy.client import Client
from rich.console import Console

from deploy.local.processes import Addresses, Platform, found_games
from deploy.local.supervisor import running
from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.store import open_store, sqlite_url
from gateway.cli.demo.archiving import Shelves, compare, wait_archived
from gateway.cli.demo.checking import Findings, check_all, open_sources
from gateway.cli.demo.matching import seat_by_tickets
from gateway.cli.demo.progress import Board, stage, tell
from gateway.cli.demo.samples import samples_of
from gateway.cli.demo.seating import Seating, seat_by_host
from gateway.cli.demo.summary import summarize, write
from gateway.cli.demo.workers import playing
from gateway.cli.options import BotPolicy, Json, Policy
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings

# Bots play faster than people: what one key or player may ask in a second must not be what is measured.
_LIMITS = {"ARGOSY_PLAYER_RATE": "2000", "ARGOSY_PLAYER_BURST": "4000", "ARGOSY_SIGN_IN_BURST": "10000"}


def demo(
    *,
    games: Annotated[str, typer.Option(help="The games, with commas between; or all.")] = "all",
    matches: Annotated[int, typer.Option(min=1, help="How many matches, all at once.")] = 100,
    host_made: Annotated[
        bool, typer.Option("--host-made", help="The host gives the seats, instead of matchmaking.")
    ] = False,
    policy: Policy = BotPolicy.SENSIBLE,
    workers: Annotated[int, typer.Option(min=1, help="Processes whose bots play.")] = 1,
    json: Json = False,
) -> None:
    """Seats bots by matchmaking on a platform of its own, plays all matches, audits and replays each of them.

    Each game gets about as many entries: the longer its matches, the fewer.
    Exit code 0 when all is well, 1 with the first difference, 2 when it cannot start. Needs no network.
    """
    chosen = _chosen(games)
    progress = Console(stderr=json)
    summary = asyncio.run(_demo(_Wanted(chosen, matches, policy, workers, host_made), progress))
    write(summary, Console(file=sys.stdout), as_json=json)
    raise typer.Exit(0 if summary["is_well"] else 1)


def _chosen(games: str) -> tuple[str, ...]:
    found = found_games()
    chosen = found if games == "all" else tuple(game.strip() for game in games.split(",") if game.strip())
    if not chosen or set(chosen) - set(found):
        raise typer.BadParameter(f"{games!r}: must be of {', '.join(found)}", param_hint="--games")
    return chosen


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the command's options say."""

    games: tuple[str, ...]
    matches: int
    policy: str
    workers: int
    is_host_made: bool


async def _demo(wanted: _Wanted, console: Console) -> dict[str, object]:
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="argosy-demo-")))
        platform = Platform(data, listen="127.0.0.1:0", games=wanted.games, environ=_LIMITS)
        async with stage(f"Starting a platform for {', '.join(wanted.games)}", str, console):
            addresses = await stack.enter_async_context(running(platform))
        assert addresses is not None  # nobody tells it to stop
        host = await stack.enter_async_context(Client.connect(addresses.gateway, key=await _make_key(data)))
        seating = await _seat(host, addresses.gateway, wanted, console)
        board, findings = Board(seating.matches), Findings(differences=seating.problems)
        console.print(f"Playing: {len(seating.matches)} matches, by bots over Play …", highlight=False)
        async with playing(addresses.gateway, board.matches, wanted.workers, wanted.policy, board.hear):
            await tell(board, console)
        shelves = Shelves(len(board.ends))
        async with stage("Archiving: replay lists and keeps every match", lambda: shelves, console):
            await wait_archived(host, shelves)
        async with stage("Checking every history and every seat's replay", lambda: findings, console):
            await _check(host, addresses, board, findings)
            findings.differences += compare(board, shelves)
        return summarize(board, findings)


async def _seat(host: Client, address: str, wanted: _Wanted, console: Console) -> Seating:
    samples = samples_of([await host.game(game) for game in wanted.games], wanted.matches)
    seating = Seating(sum(sample.seats for sample in samples))
    way = "by its host" if wanted.is_host_made else "by matchmaking, every seat with a ticket"
    async with stage(f"Seating {len(samples)} matches {way}", lambda: seating, console):
        if wanted.is_host_made:
            await seat_by_host(host, samples, seating)
        else:
            await seat_by_tickets(host, address, samples, seating)
    return seating


async def _check(host: Client, addresses: Addresses, board: Board, findings: Findings) -> None:
    async with (
        open_log(RedisSettings(redis_url=addresses.redis)) as log,
        open_sources(log, addresses.replay) as sources,
    ):
        await check_all(host, sources, addresses.rules, board, findings)


async def _make_key(data: Path) -> str:
    store = await open_store(sqlite_url(data))
    try:
        _, secret = await ApiKeys(store).create("demo", ("host", "play"), os.urandom(16).hex())
    finally:
        await store.close()
    return secret
