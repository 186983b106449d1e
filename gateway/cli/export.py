"""`argosy export`: a match as one file, or as a script that plays it again."""

import base64
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from argosy.v1 import game_service_pb2 as game_pb

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Key, Seat, Server
from gateway.cli.programs import run_program


def export(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", dir_okay=False, metavar="FILE", help="Where to; MATCH.argosy, or stdout."),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", dir_okay=False, metavar="FILE", help="Also writes the platform's public keys there."),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="As a script of the game's actions and chance.")] = False,
    opened: Annotated[bool, typer.Option("--opened", help="With everything hidden: by scope host or audit.")] = False,
    reason: Annotated[str, typer.Option(help="Why you open a match that goes on; its players are told.")] = "",
    seat: Seat = None,
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
) -> None:
    """Writes a match into one file, with what you may see of it; `-o -` writes to standard output.

    With --trace, for a match that is opened, it is a script that plays it again on the rules alone: python -m
    services.rules.trace GAME --script FILE. A match that goes on or is frozen is opened with --reason and a key of
    scope audit or host (to a host without the seed, so that it cannot be verified). Exit code 1 when that cannot be
    had. With --keys the platform's public keys are written into a second file, for `argosy verify --keys`: keep it, or
    take it from somebody you trust.
    """

    async def work() -> bytes:
        async with connected(server, key, credentials, guest) as client:
            if keys is not None:
                write_keys(keys, await client.platform())
            return await client.export(match, seat=seat, opened=opened or bool(reason), reason=reason)

    _write(run(work), match, out, trace=trace)


def _write(content: bytes, match: str, out: Path | None, *, trace: bool) -> None:
    if trace:
        words = [] if out is None or str(out) == "-" else ["--out", str(out)]
        run_program("services.rules.retrace", words, given=content)
    elif out is not None and str(out) == "-":
        sys.stdout.buffer.write(content)
    else:
        target = out or Path(f"{match.removeprefix('matches/')}.argosy")
        target.write_bytes(content)
        typer.echo(f"{target}: {len(content)} bytes", err=True)


def write_keys(path: Path, platform: game_pb.GetPlatformResponse) -> None:
    """The keys as `argosy verify` reads them."""
    uses = game_pb.GetPlatformResponse.PublicKey.Use
    told = [
        {
            "id": key.id,
            "use": uses.Name(key.use).removeprefix("USE_").lower(),
            "key": base64.b64encode(key.key).decode(),
        }
        for key in platform.public_keys
    ]
    path.write_text(json.dumps({"keys": told}, indent=2) + "\n")
