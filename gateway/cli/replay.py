"""`argosy replay`: a match step by step, forward and back."""

import json as json_module
import sys
from typing import Annotated, Any

import typer
from argosy.client import Client, ReplayPosition
from google.protobuf.json_format import MessageToDict

from gateway.cli import phrases
from gateway.cli.accesses import looked
from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, MOST, Json, Key, Language, Seat, Server
from gateway.cli.play.keyboard import Keyboard
from gateway.cli.rulings import fields as ruling_fields
from gateway.cli.rulings import show_rulings
from gateway.cli.screen import Screen


def replay(  # noqa: PLR0917  # typer reads the command line from the signature
    match: Annotated[str, typer.Argument(help="The match, with or without matches/.")],
    at: Annotated[int | None, typer.Option(min=1, max=MOST, metavar="VERSION", help="Begin after this entry.")] = None,
    seat: Seat = None,
    language: Language = "en",
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Shows a match again, ended or not: as a spectator, or as a seat of yours.

    At a terminal you step through it; elsewhere, or with --json, one position is printed. Exit code 1 for a match that
    you may not see.
    """
    screen = Screen()

    async def work() -> None:
        async with connected(server, key, credentials, guest) as client:
            stepping = _Stepping(client, screen, match, seat, language)
            if json:
                ruled = [ruling_fields(signed) async for signed in client.hosting.rulings(match)]
                told = {**fields(await stepping.find(at)), "rulings": ruled}
                screen.line(json_module.dumps(told, ensure_ascii=False))
            elif not sys.stdin.isatty():
                await stepping.show(await stepping.find(at))
                await show_rulings(client, screen, match)
            else:
                await show_rulings(client, screen, match)
                await stepping.run(Keyboard(), at or 1)

    run(work)


def fields(found: ReplayPosition) -> dict[str, Any]:
    """A position as JSON has it; what there is not is left out."""
    told: dict[str, Any] = {"version": found.version, "digest": found.digest.hex(), "last_version": found.last_version}
    if found.seat is not None:
        told["seat"] = found.seat
    told["turn"] = list(found.status.turn)
    told["events"] = [MessageToDict(event) for event in found.events]
    if found.position is not None:
        told["position"] = MessageToDict(found.position)
    return told


async def show_position(
    client: Client, screen: Screen, found: ReplayPosition, viewer: int | None, language: str = ""
) -> None:
    """The entry in sentences, then the position drawn."""
    entry = phrases.ENTRY if found.seat is None else phrases.ENTRY_BY
    screen.head(entry(language, version=found.version, last=found.last_version, seat=found.seat))
    if found.events:
        told = await client.tell(found.game, found.events, viewer=viewer, language=language)
        screen.tell(told)
    if found.position is None:
        screen.say(phrases.NOT_STARTED(language))
        return
    screen.line()
    screen.draw(await client.draw(found.game, found.position, viewer=viewer, language=language))


class _Stepping:
    """One match on one screen."""

    def __init__(self, client: Client, screen: Screen, match: str, seat: int | None, language: str) -> None:
        self._client, self._screen, self._match = client, screen, match
        self._seat, self._language = seat, language

    async def find(self, version: int | None) -> ReplayPosition:
        """The position after an entry; the last for None."""
        return await self._client.position(self._match, version, seat=self._seat)

    async def show(self, found: ReplayPosition) -> None:
        """One position; after the last of a match that is over, who looked at it by scope."""
        await show_position(self._client, self._screen, found, self._seat, self._language)
        if found.version == found.last_version:
            for sentence in await looked(self._client, self._match):
                self._screen.say(sentence)

    async def run(self, keyboard: Keyboard, version: int) -> None:
        """Steps as the person types, until it leaves."""
        last = (await self.find(None)).last_version
        while True:
            version = min(max(version, 1), last)
            found = await self.find(version)
            last = found.last_version
            await self.show(found)
            self._screen.ask(phrases.STEP(self._language, version=version, last=last))
            typed = await keyboard.line()
            while (to := _target(typed, version, last)) is None:
                if typed is None or typed.strip() in ("q", "quit"):
                    return
                self._screen.say(phrases.STEPS(self._language))
                self._screen.ask(phrases.STEP_AGAIN(self._language, version=version, last=last))
                typed = await keyboard.line()
            version = to


def _target(typed: str | None, version: int, last: int) -> int | None:
    """The version to go to; None for what is no step."""
    word = (typed or "").strip() if typed is not None else "q"
    if word.isdecimal():
        return int(word)
    return {"": version + 1, "n": version + 1, "b": version - 1, "e": last}.get(word)
