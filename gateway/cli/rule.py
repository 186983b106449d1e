"""`argosy rule`: a match counts for nothing, or otherwise than it was played; or a note on it."""

import json as json_module
from enum import StrEnum
from typing import Annotated, Final

import typer
from argosy.client import ArgosyError, Client
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.rulings import fields, tell
from gateway.cli.screen import Screen


class Verdict(StrEnum):
    """What one may rule."""

    VOID = "void"
    ADJUDICATE = "adjudicate"
    NOTE = "note"


_KINDS: Final = {
    Verdict.VOID: pb.Ruling.Kind.KIND_VOID,
    Verdict.ADJUDICATE: pb.Ruling.Kind.KIND_ADJUDICATE,
    Verdict.NOTE: pb.Ruling.Kind.KIND_NOTE,
}
Reason = Annotated[
    str, typer.Option(help="Why, for all who may see the match: UPPER_SNAKE_CASE, at most 60 characters.")
]


def rule(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    verdict: Annotated[Verdict, typer.Argument(help="What the match counts as; a note changes nothing.")],
    reason: Reason,
    scores: Annotated[
        str, typer.Option(metavar="A,B,…", help="For adjudicate: a score from 0 to 1 for every seat, in order.")
    ] = "",
    end: Annotated[bool, typer.Option("--end", help="Ends a match that goes on first, for good.")] = False,
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Rules on a match: it counts for nothing, or with other scores; or a note. Needs a key of scope host or admin.

    The history stays as it is: the ruling stands beside it, signed, for everybody who may see the match. A match that
    goes on is voided or adjudicated only with --end. Exit code 1 when it is refused.
    """
    given, screen = _scores(scores, verdict), Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            if end and verdict is not Verdict.NOTE:
                await _end(client, match, reason, is_void=verdict is Verdict.VOID)
            signed = await client.hosting.rule(match, _KINDS[verdict], reason, scores=given)
            told = json_module.dumps(fields(signed)) if json else tell(pb.Ruling.FromString(signed.ruling))
            screen.line(told)

    run(work)


async def _end(client: Client, match: str, reason: str, *, is_void: bool) -> None:
    """Ends the match, unless it is over."""
    try:
        await client.hosting.abort(match, reason, void=is_void)
    except ArgosyError as error:
        if error.name != "MATCH_ENDED":
            raise


def _scores(text: str, verdict: Verdict) -> list[float]:
    if bool(text) != (verdict is Verdict.ADJUDICATE):
        raise typer.BadParameter("are needed for adjudicate, and for that alone", param_hint="--scores")
    try:
        return [float(score) for score in text.split(",")] if text else []
    except ValueError:
        raise typer.BadParameter(f"{text!r}: must be numbers with commas between", param_hint="--scores") from None
