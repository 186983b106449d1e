"""`argosy inspect`: a match as its host may look at it."""

import json as json_module
from typing import Annotated, Any, Final

import typer
from argosy.client import Client, ReplayPosition

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, MOST, Json, Key, Language, Server
from gateway.cli.replay import fields, show_position
from gateway.cli.rulings import fields as ruling_fields
from gateway.cli.rulings import show_rulings
from gateway.cli.screen import Screen

_EVERYTHING: Final = "server"
_SPECTATOR: Final = "spectator"


def inspect(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    at: Annotated[
        int | None, typer.Option(min=1, max=MOST, metavar="VERSION", help="After this entry; the last if left out.")
    ] = None,
    viewer: Annotated[
        str, typer.Option("--as", metavar="VIEWER", help="A seat's number, spectator, or server: everything shown.")
    ] = _SPECTATOR,
    reason: Annotated[str, typer.Option(help="Why you look; kept. Needed while the match goes on.")] = "",
    language: Language = "en",
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Shows one position of a match as somebody else sees it, or whole. Needs a key of scope host.

    Exit code 1 when that is refused.
    """
    if viewer not in (_EVERYTHING, _SPECTATOR) and not _is_seat(viewer):
        raise typer.BadParameter(f"{viewer!r}: must be a seat's number, spectator or server", param_hint="--as")
    seat, screen = int(viewer) if _is_seat(viewer) else None, Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            found = await _find(client, match, at, viewer, reason)
            if json:
                ruled = [ruling_fields(signed) async for signed in client.hosting.rulings(match)]
                told: dict[str, Any] = {"viewer": viewer, **fields(found), "rulings": ruled}
                screen.line(json_module.dumps(told, ensure_ascii=False, indent=2))
                return
            await show_position(client, screen, found, seat, language)
            screen.line(f"digest {found.digest.hex()}")
            await show_rulings(client, screen, match)

    run(work)


async def _find(client: Client, match: str, at: int | None, viewer: str, reason: str) -> ReplayPosition:
    if viewer == _SPECTATOR:
        return await client.position(match, at, reason=reason)
    seat = int(viewer) if _is_seat(viewer) else None
    return await client.position(match, at, seat=seat, opened=True, reason=reason)


def _is_seat(viewer: str) -> bool:
    return viewer.isdecimal() and len(viewer) < len(str(MOST))
