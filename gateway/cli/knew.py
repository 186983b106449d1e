"""`argosy knew`: from which version on a seat or spectators could know a hidden value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import typer
from argosy.client import Client
from argosy.v1 import audience_pb2, knowledge_pb2

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, MOST, Key, Server
from gateway.cli.screen import Screen

_AUDIENCES: Final = {audience_pb2.AUDIENCE_SEATS: "for seats", audience_pb2.AUDIENCE_SERVER: "for nobody"}


def knew(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="In which field, as --list tells: a path or the tail of one; repeatable."),
    ] = None,
    value: Annotated[str, typer.Option(help="Which value.")] = "",
    seat: Annotated[
        int | None, typer.Option(min=0, max=MOST, help="Whether this seat knew; a spectator if left out.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=VALUE", help="Only beside this value, as seat=0; repeatable."),
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=1, max=MOST, metavar="VERSION", help="Show who was sent what in this entry.")
    ] = None,
    list_fields: Annotated[bool, typer.Option("--list", help="List the fields that one can ask about.")] = False,
    reason: Annotated[str, typer.Option(help="Why you ask about a match that is not open to all; kept.")] = "",
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
) -> None:
    """Says from which version on a seat, or a spectator, could know a value: when it was first sent it.

    First see what can be asked: argosy knew MATCH --list. Then, for instance: argosy knew MATCH --seat 1 --field card
    --field hand.cards --value 17. Or see one entry whole: argosy knew MATCH --at 12. It is for matches that are over
    and disclosed; with a key of scope audit or host, and --reason, for others. Exit code 1 where it was never sent.
    """
    _check(field, value, at, list_fields=list_fields)
    asked = _Asked(match, field or (), value, seat, where or (), at, reason)

    async def work() -> bool:
        async with connected(server, key, credentials, guest) as client:
            return await _answer(client, asked)

    if not run(work):
        raise typer.Exit(1)


def _check(field: list[str] | None, value: str, at: int | None, *, list_fields: bool) -> None:
    if [bool(field), at is not None, list_fields].count(True) != 1:
        raise typer.BadParameter("say one of --field with --value, --at, --list")
    if field and not value:
        raise typer.BadParameter("say which --value", param_hint="--value")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question: about a value in `fields`, else about the entry `at`, else which fields there are."""

    match: str
    fields: Sequence[str]
    value: str
    seat: int | None
    where: Sequence[str]
    at: int | None
    reason: str


async def _answer(client: Client, asked: _Asked) -> bool:
    """Shows the answer; false for a value that was never sent."""
    screen = Screen()
    if asked.fields:
        found = await client.auditing.first_sight(
            asked.match, asked.fields, asked.value, seat=asked.seat, where=asked.where, reason=asked.reason
        )
        return _show_first(screen, found, "a spectator" if asked.seat is None else f"seat {asked.seat}")
    if asked.at is not None:
        _show_sights(screen, await client.auditing.sights(asked.match, asked.at, reason=asked.reason))
    else:
        _show_fields(screen, await client.auditing.fields(asked.match))
    return True


def _show_fields(screen: Screen, fields: Sequence[knowledge_pb2.KnowableField]) -> None:
    """A line each: the path, its type, and for whom it is where not for all; then an enum's values."""
    for field in fields:
        audience = _AUDIENCES.get(field.audience)
        kind = field.type.rpartition(".")[2] + (" …" if field.repeated else "")
        screen.line(f"{field.path}  {kind}" + (f"  ({audience})" if audience else ""))
        if field.values:
            screen.say("    " + " ".join(field.values))


def _show_sights(screen: Screen, sights: Sequence[knowledge_pb2.Sight]) -> None:
    if not sights:
        screen.say("There is no event in this entry.")
    for sight in sights:
        seats = ", ".join(map(str, sight.seats))
        who = "everybody" if sight.everybody else f"seat {seats}" if seats else "nobody"
        screen.line(f"{sight.event}  {sight.path} = {sight.value}  ({who})")


def _show_first(screen: Screen, found: knowledge_pb2.FindFirstSightResponse, viewer: str) -> bool:
    if not found.HasField("version"):
        screen.say(f"Up to version {found.last_version} {viewer} was never sent it.")
        screen.say("Values are compared as text, written as --at VERSION shows them.")
        return False
    screen.say(f"From version {found.version} on {viewer} could know it: {found.path}.")
    return True
