"""`argosy repair`: lets a frozen match go on whose history proves sound."""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer
from argosy.client.ids import match_name, raw_id

from gateway.cli.connecting import run
from services.kit import parts
from services.kit.log.entries import BrokenHistory, Entry, NewHead
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from services.kit.startup import CannotStart
from services.match.audit import audit
from services.match.rules import RulesDirectory, parse_addresses


def repair(
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    data: Annotated[Path, typer.Option(file_okay=False, help="The data directory of a running argosy up.")] = Path(
        "data"
    ),
    redis_url: Annotated[str, typer.Option(help="The store, where it is elsewhere.")] = "",
    rules: Annotated[
        list[str] | None, typer.Option(metavar="NAME=HOST:PORT", help="A rules service; repeatable.")
    ] = None,
) -> None:
    """Audits a match's whole history; a frozen match whose history is sound goes on from its head.

    Nothing in a history is ever changed. Exit code 1, and the first difference, for a history that is not sound: it
    stays frozen.
    """
    redis, addresses = _addresses(data, redis_url, rules or [])
    try:
        identity = raw_id(match_name(match))
    except ValueError:
        raise typer.BadParameter(f"{match!r}: must be a match's name", param_hint="MATCH") from None
    if not run(lambda: _repair(identity, redis, addresses)):
        raise typer.Exit(1)


async def _repair(match: bytes, redis: str, addresses: dict[str, str]) -> bool:
    directory = RulesDirectory(addresses)
    try:
        await directory.refresh()
        async with open_log(RedisSettings(redis_url=redis)) as log:
            return await _settle(log, directory, match)
    finally:
        await directory.close()


async def _settle(log: EventLog, directory: RulesDirectory, match: bytes) -> bool:
    loaded = await log.load(match)
    if loaded.gone is not None or not (loaded.entries or loaded.snapshot):
        typer.echo("there is no such match in the store; an archived one is audited from its archive", err=True)
        return False
    try:
        entries = await _read(log, match)
        problem = await _audit(directory, match, entries)
    except BrokenHistory as broken:
        problem = str(broken)
    if problem:
        typer.echo(f"the history is not sound, and stays as it is: {problem}", err=True)
        return False
    if not loaded.is_frozen:
        typer.echo(f"the history of {len(entries)} entries is sound; the match is not frozen")
        return True
    if not await log.thaw(NewHead(match, entries[-1].version, entries[-1].digest)):
        typer.echo("the match went on meanwhile; try again", err=True)
        return False
    typer.echo(f"the history of {len(entries)} entries is sound; the match goes on from version {entries[-1].version}")
    typer.echo("lists that show it as frozen take it back with: argosy replay reindex")
    return True


async def _audit(directory: RulesDirectory, match: bytes, entries: list[Entry]) -> str:
    """What is wrong with the history, by the chain and by the rules; "" for nothing."""
    result = await audit(match, entries, directory.game(_game_of(entries[0])))
    return str(result.problem or "")


def _game_of(first: Entry) -> str:
    return parts.server_part(parts.opened(first.version, first.digest, first.body)).cause.created.game


async def _read(log: EventLog, match: bytes) -> list[Entry]:
    found: list[Entry] = []
    while page := await log.read(match, len(found)):
        found += page
    return found


def _addresses(data: Path, redis_url: str, rules: list[str]) -> tuple[str, dict[str, str]]:
    """The store and the rules: as named, else those of the platform that runs on this data."""
    named = dict(parse_addresses(tuple(rules)))
    if redis_url and named:
        return redis_url, named
    try:
        told = json_module.loads((data / "addresses.json").read_text())
        return redis_url or str(told["redis"]), named or dict(told["rules"])
    except (OSError, ValueError, KeyError, TypeError):
        raise CannotStart(f"no platform runs on {data}: name it with --data, or --redis-url and --rules") from None
