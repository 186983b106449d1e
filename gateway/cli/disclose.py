"""`argosy disclose`: opens what was hidden in a match, where that is the host's to do."""

import json as json_module
from typing import Annotated

import typer
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.rule import Reason
from gateway.cli.rulings import fields, tell
from gateway.cli.screen import Screen


def disclose(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    reason: Reason = "DISCLOSED",
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Opens a match that is over to all who may see it, for good: its seed and everything that was hidden.

    Only where the match was created with a disclosure by the host. Needs a key of scope host or admin. Exit code 1 when
    it is refused.
    """
    screen = Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            signed = await client.hosting.disclose(match, reason)
            screen.line(json_module.dumps(fields(signed)) if json else tell(pb.Ruling.FromString(signed.ruling)))

    run(work)
