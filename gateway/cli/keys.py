"""`argosy keys`: API keys, made and revoked where the accounts are, without a running gateway."""

import asyncio
import json as json_module
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.accounts.api_keys import SCOPES, ApiKey, ApiKeys, key_id
from gateway.accounts.store import open_store, sqlite_url
from gateway.cli.options import Json
from gateway.fields import display_name
from services.kit.errors import Refused
from services.kit.startup import CannotStart

keys = typer.Typer(
    help="Makes, lists and revokes the API keys of bots and hosts.", no_args_is_help=True, add_completion=False
)

_PAGE = 200
Data = Annotated[
    Path, typer.Option("--data", envvar="ARGOSY_DATA", help="The data directory.", file_okay=False, show_default=True)
]
Url = Annotated[
    str,
    typer.Option("--accounts-url", envvar="ARGOSY_ACCOUNTS_URL", help="The accounts database, where it is elsewhere."),
]


@keys.command()
def create(
    name: Annotated[str, typer.Argument(help="What people call it, 1 to 40 characters.")],
    scope: Annotated[list[str], typer.Option("--scope", help="play, host, audit or admin; repeatable.")],
    data: Data = Path("data"),
    accounts_url: Url = "",
    json: Json = False,
) -> None:
    """Makes a key and writes its secret, which is not shown again."""
    if unknown := set(scope) - set(SCOPES):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: must be of {', '.join(SCOPES)}", param_hint="--scope")
    if not accounts_url:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)  # a key may be made before the platform runs first
    key, secret = _run(data, accounts_url, lambda held: held.create(display_name(name), scope, secrets.token_hex(16)))
    if json:
        _write(_fields(key) | {"secret": secret})
        return
    typer.echo(f"{key.name} ({', '.join(sorted(key.scopes))}); the secret is shown only now:", err=True)
    typer.echo(secret)


@keys.command(name="list")
def list_keys(data: Data = Path("data"), accounts_url: Url = "", json: Json = False) -> None:
    """Lists the keys, oldest first, without their secrets."""
    found = _run(data, accounts_url, _all)
    if json:
        _write([_fields(key) for key in found])
        return
    _print_rows([("NAME", "FOR", "SCOPES", "MADE", "REVOKED"), *(_row(key) for key in found)])


@keys.command()
def revoke(
    name: Annotated[str, typer.Argument(help="apiKeys/ID, as listed.")],
    data: Data = Path("data"),
    accounts_url: Url = "",
    json: Json = False,
) -> None:
    """Revokes a key: gateways refuse it and end its streams within two seconds. A second time changes nothing."""
    key = _run(data, accounts_url, lambda held: held.revoke(key_id(name)))
    if json:
        _write(_fields(key))
    else:
        typer.echo(f"{key.name} is revoked", err=True)


def _run(data: Path, url: str, use: Callable[[ApiKeys], Awaitable[Any]]) -> Any:
    """What `use` gives; a refusal is one line and exit code 1, accounts that cannot be opened exit code 2."""
    try:
        return asyncio.run(_use(url or sqlite_url(data), use))
    except Refused as refused:
        typer.echo(refused, err=True)
        raise typer.Exit(1) from None
    except CannotStart as reason:
        typer.echo(reason, err=True)
        raise typer.Exit(2) from None


async def _use(url: str, use: Callable[[ApiKeys], Awaitable[Any]]) -> Any:
    async with _opened(url) as held:
        return await use(held)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[ApiKeys]:
    store = await open_store(url)
    try:
        yield ApiKeys(store)
    finally:
        await store.close()


async def _all(held: ApiKeys) -> list[ApiKey]:
    found: list[ApiKey] = []
    while True:
        last = (found[-1].create_ms, found[-1].id) if found else None
        page = await held.page(_PAGE, last)
        found += page
        if len(page) < _PAGE:
            return found


def _row(key: ApiKey) -> tuple[str, ...]:
    revoked = "" if key.revoke_ms is None else _date(key.revoke_ms)
    return key.name, key.display_name, ",".join(sorted(key.scopes)), _date(key.create_ms), revoked


def _print_rows(rows: list[tuple[str, ...]]) -> None:
    """In columns, nothing cut off: names are there to be copied."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        typer.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _fields(key: ApiKey) -> dict[str, Any]:
    return {
        "name": key.name,
        "display_name": key.display_name,
        "scopes": sorted(key.scopes),
        "create_time": _date(key.create_ms),
        "revoke_time": None if key.revoke_ms is None else _date(key.revoke_ms),
    }


def _date(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")


def _write(value: Any) -> None:
    typer.echo(json_module.dumps(value, indent=2, ensure_ascii=False))
