"""`argosy abort`: a match ends without a result."""

import json as json_module
from typing import Annotated

import typer

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.people import tell_end
from gateway.cli.rule import Reason
from gateway.cli.screen import Screen


def abort(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    reason: Reason,
    void: Annotated[bool, typer.Option("--void", help="As a match that counts for nothing.")] = False,
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Ends a match that goes on, or waits for players, without a result. Needs a key of scope host or admin.

    It cannot be taken back. Exit code 1 when it is refused.
    """
    screen = Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            ended = (await client.hosting.abort(match, reason, void=void)).match
        if json:
            told = {"name": ended.name, "version": ended.head.version, "digest": ended.head.digest.hex()}
            screen.line(json_module.dumps({**told, "reason": ended.end.reason, "void": void}))
        else:
            screen.say(tell_end(ended.end, [], "en"))

    run(work)
