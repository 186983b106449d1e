"""`argosy doctor`: what is wrong with a store and a data directory, what it costs, how to mend it."""

import asyncio
import json as json_module
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.options import Json
from gateway.doctor import certificate, store
from gateway.doctor import data as data_directory
from gateway.doctor.findings import Finding, Level
from services.kit import settings as kit_settings
from services.kit.log.servers import RedisSettings

_MARKS = {Level.OK: "ok     ", Level.WARNING: "WARNING", Level.FAULT: "FAULT  "}


def doctor(
    *,
    data: Annotated[
        Path, typer.Option("--data", envvar="ARGOSY_DATA", help="The data directory.", file_okay=False)
    ] = Path("data"),
    redis_url: Annotated[
        str,
        typer.Option(
            "--redis-url", envvar="ARGOSY_REDIS_URL", help="The store; else that of a platform running there."
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Looks at a store and a data directory and changes nothing: tells each shortcoming, its cost and its remedy.

    Exit code 0 when there is no fault (there may be warnings), 1 when there is one, 2 when there is nothing to look at.
    """
    url = redis_url or _running(data)
    if not url and not data.is_dir():
        typer.echo(f"argosy: there is no {data}, and no store is named: --data or --redis-url", err=True)
        raise typer.Exit(2)
    known = {variable for variable, *_ in kit_settings.described(RedisSettings)}
    settings = kit_settings.load(RedisSettings, {n: v for n, v in os.environ.items() if n in known})
    found = list(data_directory.look(data, settings.redis_free_mib)) if data.is_dir() else []
    files = [Path(file) if file else None for file in map(os.environ.get, ("ARGOSY_TLS_CERT", "ARGOSY_TLS_KEY"))]
    found += certificate.look(*files)
    if url:
        found += asyncio.run(_looked(replace(settings, redis_url=url), data_directory.read_positions(data)))
    typer.echo(json_module.dumps([finding.told() for finding in found], indent=2) if json else _as_text(found, url))
    raise typer.Exit(1 if any(finding.level is Level.FAULT for finding in found) else 0)


async def _looked(settings: RedisSettings, positions: dict[int, str]) -> list[Finding]:
    return [finding async for finding in store.look(settings, positions)]


def _running(data: Path) -> str:
    """The store of the platform that runs on this directory; "" where none does."""
    try:
        return str(json_module.loads((data / "addresses.json").read_text())["redis"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _as_text(found: list[Finding], url: str) -> str:
    lines = []
    for finding in found:
        lines.append(f"{_MARKS[finding.level]} {finding.subject}: {finding.found}")
        if finding.level is not Level.OK:
            lines += [f"        costs: {finding.costs}", f"        mend:  {finding.mend}"]
    if not url:
        lines.append("No platform runs on this directory and no store is named: the store was not looked at.")
    counts = [sum(finding.level is level for finding in found) for level in (Level.FAULT, Level.WARNING)]
    return "\n".join([*lines, f"{_count(counts[0], 'fault')}, {_count(counts[1], 'warning')}"])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
