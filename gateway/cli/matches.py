"""`argosy matches`: which matches there are."""

import json as json_module
import re
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Final

import typer
from argosy.client import MatchSummary
from argosy.v1 import match_service_pb2 as match_pb

from gateway.cli.connecting import Credentials, Guest, connected, run
from gateway.cli.options import DEFAULT_SERVER, Json, Key, Server
from gateway.cli.people import short_name
from gateway.cli.record import tell_record
from gateway.cli.rulings import facts as ruling_facts
from gateway.cli.rulings import name as name_ruling
from gateway.cli.screen import Screen

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class State(Enum):
    """States of a match, as one types them."""

    OPEN = "open"
    ACTIVE = "active"
    ENDED = "ended"
    ABORTED = "aborted"
    FROZEN = "frozen"


def matches(  # noqa: PLR0917  # typer reads the command line from the signature
    game: Annotated[str, typer.Option(help="Only of this game.")] = "",
    mine: Annotated[bool, typer.Option("--mine", help="Only those in which you hold a seat.")] = False,
    state: Annotated[list[State] | None, typer.Option(help="Only in this state; repeatable.")] = None,
    idle: Annotated[
        str, typer.Option(metavar="TIME", help="Only without an entry for so long: 90s, 15m, 2h, 3d.")
    ] = "",
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="At most so many.")] = 50,
    server: Server = DEFAULT_SERVER,
    key: Key = "",
    credentials: Credentials = None,
    guest: Guest = "",
    json: Json = False,
) -> None:
    """Lists matches that you may see, newest first; with a key of scope host, all."""
    states = [match_pb.Match.State.Value(f"STATE_{chosen.name}") for chosen in state or ()]
    player, seconds, screen = "players/me" if mine else "", _seconds(idle), Screen()

    async def work() -> None:
        found: list[MatchSummary] = []
        async with connected(server, key, credentials, guest) as client:
            async for summary in client.matches(game=game, player=player, states=states, idle_seconds=seconds):
                found.append(summary)
                if len(found) == limit:
                    break
            records = await client.record() if mine and not (json or states or seconds) else None
        if json:
            screen.line(json_module.dumps([_fields(summary) for summary in found], ensure_ascii=False, indent=2))
            return
        for summary in found:
            _show(screen, summary)
        if not found:
            typer.echo("There is no such match that you may see.", err=True)
        elif records is not None:
            for sentence in tell_record(each for each in records if game in {"", each.game.removeprefix("games/")}):
                screen.line(sentence)

    run(work)


def _seconds(text: str) -> int:
    found = re.fullmatch(r"(\d{1,9})([smhd]?)", text.strip() or "0")
    if found is None:
        raise typer.BadParameter(f"{text!r} is no time: 90s, 15m, 2h, 3d", param_hint="--idle")
    return int(found[1]) * _UNITS[found[2]]


def _show(screen: Screen, summary: MatchSummary) -> None:
    """Two lines: the match, and who plays it."""
    told = _fields(summary)
    end = f" {told['reason']}" if told["reason"] else ""
    name, game = short_name(summary.name), summary.game.removeprefix("games/")
    screen.line(f"{name}  {game:<12} {told['state']}{end}  {told['version']} entries")
    screen.say(f"  {told['update_time']}  {' · '.join(map(_seat, summary.seats))}")
    if summary.HasField("ruling"):
        screen.say(f"  ruled {name_ruling(summary.ruling)}")


def _fields(summary: MatchSummary) -> dict[str, Any]:
    return {
        "name": summary.name,
        "game": summary.game,
        "state": match_pb.Match.State.Name(summary.state).removeprefix("STATE_").lower(),
        "version": summary.head.version,
        "digest": summary.head.digest.hex(),
        "seats": [_seat_fields(number, seat) for number, seat in enumerate(summary.seats)],
        "reason": summary.end.reason,
        "create_time": _date(summary.create_time.seconds),
        "update_time": _date(summary.update_time.seconds) if summary.HasField("update_time") else "",
        "archived": summary.archived,
        "ruling": ruling_facts(summary.ruling) if summary.HasField("ruling") else None,
        "rulings": summary.rulings,
    }


def _seat_fields(number: int, seat: MatchSummary.Seat) -> dict[str, Any]:
    """A seat as JSON has it; what there is not is left out. A seat with neither player nor policy is open."""
    told: dict[str, Any] = {"seat": number}
    for name in ("player", "display_name", "bot_policy"):
        if value := getattr(seat, name):
            told[name] = value
    if seat.HasField("score"):
        told["score"] = seat.score
    return told


def _seat(seat: MatchSummary.Seat) -> str:
    who = f"bot ({seat.bot_policy})" if seat.bot_policy else seat.display_name or seat.player or "open"
    return f"{who}: {seat.score:g}" if seat.HasField("score") else who


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%MZ")
