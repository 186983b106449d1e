"""`argosy accesses`: who read what of a match, or of all."""

import json as json_module
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer
from argosy.client import Access, ArgosyError, Client
from google.protobuf.timestamp_pb2 import Timestamp

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.people import short_name
from gateway.cli.screen import Screen

_NOT_TOLD: Final = ("NOT_DISCLOSED", "NOT_FOUND", "NOT_SEATED", "SCOPE_MISSING")


def accesses(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/; all if left out.")] = "",
    player: Annotated[str, typer.Option(metavar="NAME", help="Only by this player: players/… or players/me.")] = "",
    privileged: Annotated[bool, typer.Option("--privileged", help="Only reads by a scope beyond play.")] = False,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="At most so many.")] = 50,
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Lists who read what, and why, the latest first.

    Who played a match is told, once it is over, who looked by scope while it went on. With a key of scope audit or
    admin you see every read that is kept, also of all matches. Exit code 1 where that is not yours to see.
    """
    screen = Screen()

    async def work() -> None:
        found: list[Access] = []
        async with connected(server, key, credentials, guest) as client:
            async for access in client.auditing.accesses(match, player=player, privileged=privileged):
                found.append(access)
                if len(found) == limit:
                    break
        if json:
            screen.line(json_module.dumps([_fields(access) for access in found], ensure_ascii=False, indent=2))
            return
        if not found:
            screen.say("Nobody, as far as you are told.")
        for access in found:
            _show(screen, access, with_match=not match)

    run(work)


async def looked(client: Client, match: str) -> list[str]:
    """Who looked at an ended match by scope, a sentence for each; nothing where the caller is not told."""
    try:
        found = [access async for access in client.auditing.accesses(match, privileged=True)]
    except ArgosyError as error:
        if error.name in _NOT_TOLD:
            return []
        raise
    return [_sentence(access) for access in found if access.live]


def _sentence(access: Access) -> str:
    why = f", reason: {access.reason}" if access.reason else ""
    return f"Looked at by {_who(access)} at {_time(access.begin_time)}, {_what(access)}{why}."


def _show(screen: Screen, access: Access, *, with_match: bool) -> None:
    about = [f"{_time(access.begin_time)}  {access.method:<17}  {_who(access)}"]
    if with_match and access.match:
        about.append(short_name(access.match))
    screen.line("  ".join(about))
    marks = [mark for mark, is_set in (("live", access.live), ("by scope", access.privileged)) if is_set]
    times = [f"{access.count} times"] if access.count > 1 else []
    screen.say("  " + ", ".join([_what(access), *times, *marks]))
    if access.reason:
        screen.say(f"  reason: {access.reason}")


def _who(access: Access) -> str:
    return access.display_name or access.player


def _what(access: Access) -> str:
    """As whom, and how far."""
    if access.opened:
        viewer = "everything opened"
    elif access.seats:
        viewer = f"as seat {_joined(access.seats)}"
    else:
        viewer = "as a spectator"
    if not access.last_version:
        return viewer
    first, last = access.first_version, access.last_version
    return f"{viewer}, version {first}" if first == last else f"{viewer}, versions {first} to {last}"


def _joined(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats))


def _time(time: Timestamp) -> str:
    return datetime.fromtimestamp(time.seconds, UTC).strftime("%Y-%m-%dT%H:%MZ")


def _fields(access: Access) -> dict[str, Any]:
    return {
        "match": access.match,
        "player": access.player,
        "display_name": access.display_name,
        "api_key": access.api_key,
        "seats": list(access.seats),
        "opened": access.opened,
        "method": access.method,
        "first_version": access.first_version,
        "last_version": access.last_version,
        "begin_time": _time(access.begin_time),
        "last_time": _time(access.last_time),
        "end_time": _time(access.end_time) if access.HasField("end_time") else None,
        "live": access.live,
        "privileged": access.privileged,
        "reason": access.reason,
        "count": access.count,
    }
