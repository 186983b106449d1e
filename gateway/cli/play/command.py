"""`argosy play`: connects, takes a seat, plays."""

import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from argosy.client import ArgosyError, Client, Game
from argosy.v1 import match_service_pb2 as match_pb

from gateway.cli import phrases
from gateway.cli.connecting import Credentials, Guest, connected, is_there, own_folder, own_platform, run
from gateway.cli.options import DEFAULT_SERVER, Key, Language, Server
from gateway.cli.people import name_seats, short_name
from gateway.cli.play.habits import Habits
from gateway.cli.play.keyboard import Keyboard
from gateway.cli.play.seating import BadWish, Wish, code_of, come_back, join, seat
from gateway.cli.play.session import Session, Style
from gateway.cli.screen import Screen

_OVER = (match_pb.Match.STATE_ENDED, match_pb.Match.STATE_ABORTED)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The command line."""

    game: str
    match: str
    join: str
    wish: Wish
    style: Style
    server: str
    data: Path
    starts_platform: bool | None
    credentials: Path | None


def play(  # noqa: PLR0917  # typer reads the command line from the signature
    game: Annotated[str, typer.Argument(help="The game's id; may be left out with --match or --join.")] = "",
    match: Annotated[str, typer.Option(metavar="MATCH", help="Go on with a match of yours.")] = "",
    join: Annotated[str, typer.Option(metavar="CODE", help="Take a seat in the match of this code.")] = "",
    invite: Annotated[bool, typer.Option("--invite", help="Make a match that others join by its code.")] = False,
    bots: Annotated[int, typer.Option(min=0, help="With --invite: so many of the seats are bots'.")] = 0,
    seats: Annotated[int, typer.Option(min=0, help="Seats in all; 0: the game's usual number.")] = 0,
    own: Annotated[int, typer.Option(min=1, help="Seats of people at this terminal, who take turns at it.")] = 1,
    settings: Annotated[str, typer.Option(help="Settings other than usual as JSON, or a sample's number.")] = "",
    bot: Annotated[str, typer.Option(metavar="POLICY", help="How bots play: sensible, random, or none.")] = "sensible",
    wait: Annotated[int, typer.Option(min=0, metavar="SECONDS", help="Wait so long for people before bots sit.")] = 0,
    pace: Annotated[float, typer.Option(min=0, max=60, metavar="SECONDS", help="Rest after others' moves.")] = 0.5,
    language: Language = "en",
    start: Annotated[
        bool | None, typer.Option("--start/--no-start", help="Start a platform here if none answers, without asking.")
    ] = None,
    data: Annotated[Path, typer.Option(file_okay=False, help="The data of a platform started here.")] = Path("data"),
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
) -> None:
    """Plays a game at this terminal, against bots if nobody else is there.

    The match waits when you leave: --match goes on with it. Exit code 1 for a request that is refused, 2 when no
    platform answers.
    """
    if not (game or match or join):
        raise typer.BadParameter("name a game, or a match with --match or --join")
    wish = Wish(settings, seats, own, "" if bot == "none" else bot, wait, invite, bots)
    asked = _Asked(game, match, join, wish, Style(pace, language), server, data, start, credentials)
    screen = Screen()

    async def work() -> None:
        async with _platform(asked, screen) as address, connected(address, key, credentials, guest) as client:
            await _play(client, asked, screen)

    _run(work, language)


def _run(work: Callable[[], Awaitable[None]], language: str) -> None:
    try:
        run(work)
    except BadWish as problem:
        typer.echo(f"argosy: {problem.say(language)}", err=True)
        raise typer.Exit(1) from None


@asynccontextmanager
async def _platform(asked: _Asked, screen: Screen) -> AsyncIterator[str]:
    """The platform's address: the one asked for where it answers, else one started here if that is wanted."""
    if await is_there(asked.server):
        yield asked.server
        return
    is_local = asked.server.rpartition(":")[0] in ("127.0.0.1", "localhost", "[::1]")
    if not is_local or not _wants_own(asked, screen):
        typer.echo(f"argosy: {phrases.NOBODY_THERE(asked.style.language, server=asked.server)}", err=True)
        raise typer.Exit(2)
    async with own_platform(asked.server, asked.data, screen, asked.style.language) as address:
        yield address


def _wants_own(asked: _Asked, screen: Screen) -> bool:
    if asked.starts_platform is not None:
        return asked.starts_platform
    if not sys.stdin.isatty():
        return False
    screen.ask(phrases.NO_PLATFORM(asked.style.language, server=asked.server))
    return sys.stdin.readline().strip().lower() in ("", *phrases.YES(asked.style.language).split())


async def _play(client: Client, asked: _Asked, screen: Screen) -> None:
    match = await _seat(client, asked, screen)
    game = await client.game(match.game)
    titles = {title.language: title.text for title in reversed(game.about.titles)}
    language = asked.style.language
    title = titles.get(language) or titles.get(phrases.primary(language)) or next(reversed(titles.values()), game.id)
    screen.head(phrases.HEAD(language, title=title, match=short_name(match.name)))
    for name in name_seats(match, language):
        screen.say(f"  {name}")
    elsewhere = f" --server {asked.server}" if asked.server != DEFAULT_SERVER else ""
    if code := await code_of(client, match):
        screen.head(phrases.JOIN_WITH(language, command=f"argosy play --join {code}{elsewhere}"))
    is_new = not asked.match and match.state not in _OVER
    session = Session(client, game, match, screen, asked.style)
    is_over = False
    try:
        is_over = await session.run(Keyboard(), Habits(own_folder() / "habits.json"), from_start=is_new)
    finally:
        if not is_over:
            screen.line()
            screen.say(phrases.GO_ON_WITH(language))
            oneself = f" --credentials {shlex.quote(str(asked.credentials))}" if asked.credentials else ""
            screen.line(f"  argosy play --match {short_name(match.name)}{elsewhere}{oneself}")


async def _seat(client: Client, asked: _Asked, screen: Screen) -> match_pb.Match:
    if asked.match:
        return await come_back(client, asked.match)
    if asked.join:
        return await join(client, asked.join)
    try:
        game = await client.game(asked.game)
    except ArgosyError as error:
        if error.name != "NOT_FOUND":
            raise
        there = ", ".join(sorted(found.name.removeprefix("games/") for found in await client.games()))
        raise BadWish(phrases.NO_SUCH_GAME if there else phrases.NO_GAME, game=asked.game, there=there) from None
    try:
        return await seat(client, game, asked.wish, lambda phrase: screen.say(phrase(asked.style.language)))
    except ArgosyError as error:
        why = _why_refused(game, error.metadata) if error.name == "BAD_SETTINGS" else None
        if why is not None:
            raise why from None
        raise


def _why_refused(game: Game, facts: Mapping[str, str]) -> BadWish | None:
    """What is wrong with settings, in the game's words or by the field's name; None where nobody has said."""
    rule, field = facts.get("rule", ""), facts.get("field", "")
    if why := game.explain(rule):
        return BadWish(phrases.EXPLAINED, code=rule, why=why)
    return BadWish(phrases.BAD_FIELD, field=field) if field else None
