"""`argosy keys`: API keys, made and revoked where the accounts are, without a running gateway."""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gateway.accounts.api_keys import SCOPES, ApiKey, ApiKeys, key_id
from gateway.accounts.store import open_store, sqlite_url
from gateway.fields import display_name
from services.kit.errors import Refused
from services.kit.startup import CannotStart

app = typer.Typer(help="Makes, lists and revokes the API keys of bots and hosts.", no_args_is_help=True)

_PAGE = 200
Data = Annotated[
    Path, typer.Option("--data", envvar="ARGOSY_DATA", help="The data directory.", file_okay=False, show_default=True)
]
Url = Annotated[
    str,
    typer.Option("--accounts-url", envvar="ARGOSY_ACCOUNTS_URL", help="The accounts database, where it is elsewhere."),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What people call it, 1 to 40 characters.")],
    scope: Annotated[list[str], typer.Option("--scope", help="play, host, audit or admin; repeatable.")],
    data: Data = Path("data"),
    accounts_url: Url = "",
    as_json: Json = False,
) -> None:
    """Makes a key and writes its secret, which is not shown again."""
    if unknown := set(scope) - set(SCOPES):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: must be of {', '.join(SCOPES)}", param_hint="--scope")
    if not accounts_url:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)  # a key may be made before the platform runs first
    key, secret = _run(data, accounts_url, lambda keys: keys.create(display_name(name), scope, secrets.token_hex(16)))
    if as_json:
        _write(_fields(key) | {"secret": secret})
        return
    Console(stderr=True).print(f"{key.name} ({', '.join(sorted(key.scopes))}); the secret is shown only now:")
    sys.stdout.write(f"{secret}\n")


@app.command(name="list")
def list_keys(data: Data = Path("data"), accounts_url: Url = "", as_json: Json = False) -> None:
    """Lists the keys, oldest first, without their secrets."""
    keys = _run(data, accounts_url, _all)
    if as_json:
        _write([_fields(key) for key in keys])
        return
    table = Table("name", "for", "scopes", "made", "revoked", box=None)
    for key in keys:
        revoked = "" if key.revoke_ms is None else _date(key.revoke_ms)
        table.add_row(key.name, key.display_name, ", ".join(sorted(key.scopes)), _date(key.create_ms), revoked)
    Console().print(table)


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="apiKeys/ID, as listed.")],
    data: Data = Path("data"),
    accounts_url: Url = "",
    as_json: Json = False,
) -> None:
    """Revokes a key: running gateways refuse it within ten seconds. A second time changes nothing."""
    key = _run(data, accounts_url, lambda keys: keys.revoke(key_id(name)))
    if as_json:
        _write(_fields(key))
    else:
        Console(stderr=True).print(f"{key.name} is revoked")


def _run(data: Path, url: str, use: Callable[[ApiKeys], Awaitable[Any]]) -> Any:
    """What `use` gives; a refusal is one line and exit code 1, accounts that cannot be opened exit code 2."""
    try:
        return asyncio.run(_use(url or sqlite_url(data), use))
    except Refused as refused:
        sys.stderr.write(f"{refused}\n")
        raise typer.Exit(1) from None
    except CannotStart as reason:
        sys.stderr.write(f"{reason}\n")
        raise typer.Exit(2) from None


async def _use(url: str, use: Callable[[ApiKeys], Awaitable[Any]]) -> Any:
    async with _opened(url) as keys:
        return await use(keys)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[ApiKeys]:
    store = await open_store(url)
    try:
        yield ApiKeys(store)
    finally:
        await store.close()


async def _all(keys: ApiKeys) -> list[ApiKey]:
    found: list[ApiKey] = []
    while True:
        last = (found[-1].create_ms, found[-1].id) if found else None
        page = await keys.page(_PAGE, last)
        found += page
        if len(page) < _PAGE:
            return found


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
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
