"""`argosy watch`: a match as it goes on."""

import asyncio
import json as json_module
from typing import Annotated, Any

import typer
from argosy.client import Client, Following, Game, Mine, Update
from google.protobuf.json_format import MessageToDict

from gateway.cli import phrases
from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Language, Seat, Server
from gateway.cli.people import name_seats, short_name, tell_end
from gateway.cli.screen import Screen


def watch(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/; left out with --mine.")] = "",
    mine: Annotated[bool, typer.Option("--mine", help="Every match of yours, now and as they come.")] = False,
    seat: Seat = None,
    from_start: Annotated[bool, typer.Option("--from-start", help="Begin with the first entry.")] = False,
    pace: Annotated[float, typer.Option(min=0, max=60, metavar="SECONDS", help="Rest after each entry.")] = 0.0,
    language: Language = "en",
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Shows a match until it ends: as a spectator, or as a seat of yours.

    With --mine, every match in which you hold a seat, now and as they come, until Ctrl-C. With --json an object on a
    line for each entry. Exit code 1 for a match that you may not see.
    """
    if bool(match) == mine:
        raise typer.BadParameter("name a match, or ask for all of yours with --mine")
    screen = Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            if mine:
                await _WatchingMine(client, screen, language, as_json=json).run(from_start=from_start)
                return
            watching = _Watching(client, screen, seat, pace, language, as_json=json)
            await watching.run(match, from_start=from_start)

    run(work)


class _Watching:
    """One match on one screen."""

    def __init__(
        self, client: Client, screen: Screen, seat: int | None, pace: float, language: str, *, as_json: bool
    ) -> None:
        self._client, self._screen, self._seat = client, screen, seat
        self._pace, self._language, self._as_json = pace, language, as_json

    async def run(self, name: str, *, from_start: bool) -> None:
        """Shows entries until the last."""
        match = await self._client.get(name, self._seat)
        game, names = await self._client.game(match.game), name_seats(match, self._language)
        if not self._as_json:
            self._screen.head(f"{game.id}, {match.name}")
            for seat in names:
                self._screen.say(f"  {seat}")
        following = self._client.follow(name, seat=self._seat, position=True, from_start=from_start)
        async with following as table:
            async for update in table:
                if self._as_json:
                    self._screen.line(json_module.dumps(_fields(update), ensure_ascii=False))
                else:
                    await self._show(game, names, update, is_newest=update is table.last)
                await asyncio.sleep(self._pace)

    async def _show(self, game: Game, names: list[str], update: Update, *, is_newest: bool) -> None:
        viewer, language = self._seat, self._language
        told = (
            await self._client.tell(game.id, update.events, viewer=viewer, language=language) if update.events else ""
        )
        if told:
            self._screen.tell(f"{update.version}  {told}")
        if is_newest and update.position is not None:
            self._screen.draw(await self._client.draw(game.id, update.position, viewer=viewer, language=language))
            self._screen.line()
        if update.end is not None:
            self._screen.head(tell_end(update.end, names, self._language))


class _WatchingMine:
    """All of one's matches on one screen: sentences alone, each with its match before it."""

    def __init__(self, client: Client, screen: Screen, language: str, *, as_json: bool) -> None:
        self._client, self._screen, self._language, self._as_json = client, screen, language, as_json

    async def run(self, *, from_start: bool) -> None:
        """Shows entries until cancelled."""
        async with asyncio.TaskGroup() as group, self._client.follow_mine(from_start=from_start) as mine:
            if not self._as_json:
                group.create_task(self._say_complete(mine))
            async for table in mine:
                group.create_task(self._show_all(table))

    async def _say_complete(self, mine: Mine) -> None:
        await mine.completed()
        self._screen.say(phrases.ALL_OF_NOW(self._language))

    async def _show_all(self, table: Following) -> None:
        match = await self._client.get(table.name, table.seat)
        game, names = await self._client.game(match.game), name_seats(match, self._language)
        if not self._as_json:
            self._screen.head(f"{short_name(table.name)}  {game.id}: {', '.join(names)}")
        async for update in table:
            if self._as_json:
                self._screen.line(json_module.dumps(_fields(update), ensure_ascii=False))
                continue
            told = await self._told(game, update, table.seat)
            if update.end is not None:
                told += f"\n{tell_end(update.end, names, self._language)}"
            if told.strip():
                self._screen.tell(f"{short_name(table.name)}  {update.version}  {told.strip()}")

    async def _told(self, game: Game, update: Update, seat: int | None) -> str:
        if not update.events:
            return ""
        return await self._client.tell(game.id, update.events, viewer=seat, language=self._language)


def _fields(update: Update) -> dict[str, Any]:
    """An update as JSON has it; what did not come is left out."""
    told: dict[str, Any] = {"match": update.match, "version": update.version, "digest": update.digest.hex()}
    if update.part is not None and update.part.HasField("seat"):
        told["seat"] = update.part.seat
    told["events"] = [MessageToDict(event) for event in update.events]
    if update.status is not None:
        told["turn"] = list(update.status.turn)
    if update.position is not None:
        told["position"] = MessageToDict(update.position)
    if update.end is not None:
        told["end"] = MessageToDict(update.end)
    return told
