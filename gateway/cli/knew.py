"""`argosy knew`: from which version on a seat or spectators could know a hidden value."""

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
    if [bool(field), at is not None, list_fields].count(True) != 1:
        raise typer.BadParameter("say one of --field with --value, --at, --list")
    if field and not value:
        raise typer.BadParameter("say which --value", param_hint="--value")
    screen = Screen()

    async def work() -> bool:
        async with connected(server, key, credentials, guest) as client:
            if list_fields:
                _show_fields(screen, await _fields(client, match))
                return True
            if at is not None:
                _show_sights(screen, [*await client.auditing.sights(match, at, reason=reason)])
                return True
            found = await client.auditing.first_sight(
                match, field or (), value, seat=seat, where=where or (), reason=reason
            )
            return _show_first(screen, found, "a spectator" if seat is None else f"seat {seat}")

    if not run(work):
        raise typer.Exit(1)


async def _fields(client: Client, match: str) -> list[knowledge_pb2.KnowableField]:
    return [*await client.auditing.fields(match)]


def _show_fields(screen: Screen, fields: list[knowledge_pb2.KnowableField]) -> None:
    """A line each: the path, its type, and for whom it is where not for all; then an enum's values."""
    for field in fields:
        audience = _AUDIENCES.get(field.audience)
        kind = field.type.rpartition(".")[2] + (" …" if field.repeated else "")
        screen.line(f"{field.path}  {kind}" + (f"  ({audience})" if audience else ""))
        if field.values:
            screen.say("    " + " ".join(field.values))


def _show_sights(screen: Screen, sights: list[knowledge_pb2.Sight]) -> None:
    if not sights:
        screen.say("There is no event in this entry.")
    for sight in sights:
        seats = ", ".join(map(str, sight.seats))
        who = "everybody" if sight.everybody else f"seat {seats}" if seats else "nobody"
        screen.line(f"{sight.event}  {sight.path} = {sight.value}  ({who})")


def _show_first(screen: Screen, found: knowledge_pb2.FindFirstSightResponse, viewer: str) -> bool:
    if not found.HasField("version"):
        screen.say(f"Up to version {found.last_version} {viewer} was never sent it.")
        return False
    screen.say(f"From version {found.version} on {viewer} could know it: {found.path}.")
    return True
