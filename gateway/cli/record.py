"""`argosy record`: what a player has achieved."""

import json as json_module
from collections.abc import Iterable
from typing import Annotated

import typer
from argosy.v1 import record_pb2

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.screen import Screen


def record(  # noqa: PLR0917  # typer reads the command line from the signature
    player: Annotated[str, typer.Argument(help="Whose, as players/…; your own if left out.")] = "players/me",
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Counts matches played, won, lost and drawn, by game; of others those that you may see."""
    screen = Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            found = await client.record(player)
        if json:
            screen.line(json_module.dumps([_fields(each) for each in found], indent=2))
            return
        for sentence in tell_record(found):
            screen.line(sentence)

    run(work)


def tell_record(records: Iterable[record_pb2.GameRecord]) -> list[str]:
    """A line for each game."""
    lines = [_told(each) for each in records]
    return lines or ["No match has ended with a result so far."]


def _told(each: record_pb2.GameRecord) -> str:
    counts = f"{each.won} won, {each.lost} lost, {each.drawn} drawn"
    return f"{each.game.removeprefix('games/'):<12} {each.played} played: {counts}"


def _fields(each: record_pb2.GameRecord) -> dict[str, str | int | float]:
    numbers = {"played": each.played, "won": each.won, "lost": each.lost, "drawn": each.drawn, "score": each.score}
    return {"game": each.game, **numbers}
