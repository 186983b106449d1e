"""How a person comes to a seat: back to one, by a code, by a match of one's own, or by matchmaking."""

from collections.abc import Callable
from dataclasses import dataclass

import grpc
from argosy.client import ArgosyError, Client, Game
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from google.protobuf import json_format
from google.protobuf.message import Message

from gateway.cli import phrases
from gateway.cli.people import short_name
from gateway.cli.phrases import Phrase

Options = entry_pb2.MatchOptions
_NAME = 26
"""So long is a match's name; a code is shorter."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to play: settings in the game's JSON, number of seats (0: the game's), how many of them are one's own.

    Bots of `bot_policy` take seats that nobody has taken within `wait_s`; with `is_invitation` people are waited for,
    but for the last `bots` seats, which bots hold from the beginning.
    """

    settings: str = ""
    seats: int = 0
    own: int = 1
    bot_policy: str = "sensible"
    wait_s: int = 0
    is_invitation: bool = False
    bots: int = 0


class BadWish(ValueError):
    """There is no such match to be had; the phrase says why."""

    def __init__(self, phrase: Phrase, **values: object) -> None:
        """With what fills the phrase's places."""
        super().__init__(phrase("en", **values))
        self._phrase, self._values = phrase, values

    def say(self, language: str) -> str:
        """Why, in a language."""
        return self._phrase(language, **self._values)


async def come_back(client: Client, name: str) -> match_pb.Match:
    """A match in which one holds a seat. Raises BadWish."""
    found = await client.get(name)
    if not found.own_seats:
        raise BadWish(phrases.NOT_SEATED)
    return found


async def join(client: Client, code: str) -> match_pb.Match:
    """A match taken part in by its code, or its name; the same again for who is in it already."""
    found = await (client.get(code) if len(short_name(code)) == _NAME else _invited(client, code))
    if not found.own_seats:
        found = (await client.join(found.name)).match
    return found


async def _invited(client: Client, code: str) -> match_pb.Match:
    try:
        return await client.invited(code)
    except ArgosyError as error:
        if error.name not in ("NOT_FOUND", "INVALID_REQUEST"):
            raise
        raise BadWish(phrases.NO_SUCH_CODE, code=code) from None


async def seat(client: Client, game: Game, wish: Wish, say: Callable[[Phrase], None]) -> match_pb.Match:
    """A new match; `say` tells how it comes about. Raises BadWish."""
    settings = _settings(game, wish.settings)
    seats = wish.seats or game.about.default_seats
    if not game.about.min_seats <= seats <= game.about.max_seats or not 1 <= wish.own <= seats:
        raise BadWish(phrases.SEATS_RANGE, game=game.id, least=game.about.min_seats, most=game.about.max_seats)
    _check_bots(wish, seats)
    if wish.own == 1 and not wish.is_invitation:
        try:
            return await _find(client, game, settings, seats, wish=wish, say=say)
        except ArgosyError as error:
            if error.status is not grpc.StatusCode.UNIMPLEMENTED:
                raise
            say(phrases.NO_MATCHMAKING)
    return await client.create(game.id, settings, options=_options(seats, wish), seats=list(_taken(seats, wish)))


def _check_bots(wish: Wish, seats: int) -> None:
    if wish.bots and not wish.is_invitation:
        raise BadWish(phrases.BOTS_UNINVITED)
    if wish.bots and not wish.bot_policy:
        raise BadWish(phrases.BOTS_WITHOUT_POLICY)
    if wish.own + wish.bots > seats:
        raise BadWish(phrases.TOO_MANY, own=wish.own, bots=wish.bots, seats=seats)


async def code_of(client: Client, match: match_pb.Match) -> str:
    """The code with which others join a match, as one says it, in two halves; "" where there is none to tell.

    Only the match's creator has it, as long as the match waits. A platform without codes takes the match's name.
    """
    if match.state != match_pb.Match.STATE_OPEN:
        return ""
    try:
        code = (await client.invite(match.name)).code
    except ArgosyError as error:
        if error.status is grpc.StatusCode.UNIMPLEMENTED:
            return short_name(match.name)
        if error.name in ("NOT_FOUND", "MATCH_STARTED", "MATCH_ENDED"):
            return ""
        raise
    return f"{code[:4]}-{code[4:]}"


async def _find(
    client: Client, game: Game, settings: Message | None, seats: int, *, wish: Wish, say: Callable[[Phrase], None]
) -> match_pb.Match:
    if wish.wait_s or not wish.bot_policy:
        say(phrases.LOOKING)
    joined = await client.find_match(
        game.id, settings, seats=seats, bot_policy=wish.bot_policy, bot_wait_seconds=wish.wait_s
    )
    return joined.match


def _options(seats: int, wish: Wish) -> Options:
    several = Options.SEVERAL_SEATS_ALLOWED if wish.own > 1 else Options.SEVERAL_SEATS_UNSPECIFIED
    return Options(min_seats=seats, max_seats=seats, invitation=wish.is_invitation, several_seats_each=several)


def _taken(seats: int, wish: Wish) -> list[match_pb.SeatRequest]:
    """One's own seats first; the others bots', or open where people are invited, the last ones bots' there too."""
    own = [match_pb.SeatRequest(seat=number) for number in range(wish.own)]
    first = seats - wish.bots if wish.is_invitation or not wish.bot_policy else wish.own
    return own + [match_pb.SeatRequest(seat=number, bot_policy=wish.bot_policy) for number in range(first, seats)]


def _settings(game: Game, text: str) -> Message | None:
    """Settings from JSON, the game's usual ones for what it does not say; or the number of one of its samples."""
    if not text:
        return None
    if text.isdecimal():
        if not 1 <= int(text) <= len(game.about.samples):
            raise BadWish(phrases.SAMPLES, game=game.id, count=len(game.about.samples))
        return game.unpack(game.about.samples[int(text) - 1].settings)
    try:
        wanted = json_format.Parse(text, game.Settings())
    except json_format.ParseError as problem:
        raise BadWish(phrases.BAD_SETTINGS, problem=problem) from None
    usual = game.unpack(game.about.default_settings)
    for field, _ in wanted.ListFields():
        usual.ClearField(field.name)  # a list is another list, not a longer one
    usual.MergeFrom(wanted)
    return usual
