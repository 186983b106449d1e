"""`argosy rulings`: what was ruled on a match; and how rulings are told to people and scripts."""

import json as json_module
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from argosy.client import Client
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.screen import Screen
from services.kit.log import ids

Kind = pb.Ruling.Kind


def rulings(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Lists what was ruled on a match, the first ruling first. Of those that void or adjudicate the last holds.

    Exit code 1 for a match that you may not see.
    """
    screen = Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            found = [signed async for signed in client.hosting.rulings(match)]
        if json:
            screen.line(json_module.dumps([fields(signed) for signed in found], indent=2))
            return
        for signed in found:
            screen.line(tell(pb.Ruling.FromString(signed.ruling)))
        if not found:
            screen.say("Nothing was ruled on this match.")

    run(work)


async def show_rulings(client: Client, screen: Screen, match: str) -> None:
    """A line for each ruling on the match; nothing where there is none."""
    async for signed in client.hosting.rulings(match):
        screen.warn(tell(pb.Ruling.FromString(signed.ruling)))


def tell(ruling: pb.Ruling) -> str:
    """A ruling in a line."""
    when = datetime.fromtimestamp(ruling.rule_time_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")
    return f"ruled {name(ruling)}, {when}, on entry {ruling.head.version}"


def name(ruling: pb.Ruling) -> str:
    """What was ruled, and why."""
    scores = " " + " : ".join(f"{score:g}" for score in ruling.scores) if ruling.scores else ""
    return f"{_kind(ruling)}{scores}: {ruling.reason}"


def facts(ruling: pb.Ruling) -> dict[str, Any]:
    """A ruling as JSON has it."""
    return {
        "kind": _kind(ruling),
        "scores": list(ruling.scores),
        "reason": ruling.reason,
        "by": f"players/{ids.to_text(ruling.by)}",
        "rule_time_ms": ruling.rule_time_ms,
        "version": ruling.head.version,
        "digest": ruling.head.digest.hex(),
    }


def fields(signed: pb.SignedRuling) -> dict[str, Any]:
    """A signed ruling as JSON has it; `log_index` is null until the transparency log has it."""
    index = signed.proof.index if signed.HasField("proof") else None
    return {**facts(pb.Ruling.FromString(signed.ruling)), "key_id": signed.key_id, "log_index": index}


def _kind(ruling: pb.Ruling) -> str:
    return Kind.Name(ruling.kind).removeprefix("KIND_").lower()
