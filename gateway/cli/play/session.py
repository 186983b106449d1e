"""A person plays: news of the match and lines from the keyboard, whichever comes first."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from argosy.client import ArgosyError, Client, Following, Game, LegalAction, Update
from argosy.v1 import match_service_pb2 as match_pb
from google.protobuf import json_format
from google.protobuf.message import Message

from gateway.cli import phrases
from gateway.cli.people import name_seats, tell_end
from gateway.cli.play.answers import Answers
from gateway.cli.play.habits import Habits
from gateway.cli.play.keyboard import Keyboard
from gateway.cli.play.sight import Sight
from gateway.cli.play.turn import Turn
from gateway.cli.screen import Screen

_PASSING = ("STALE_VERSION", "MATCH_ENDED", "CONTENDED")


@dataclass(frozen=True, slots=True)
class Style:
    """How to play: seconds after each move of others, and the language of labels, sentences and drawings."""

    pace_s: float = 0.5
    language: str = "en"


class Session:
    """One match at one terminal; `own` are the seats that its people hold."""

    def __init__(self, client: Client, game: Game, match: match_pb.Match, screen: Screen, style: Style) -> None:
        self._client, self._game, self._match, self._screen, self._style = client, game, match, screen, style
        self._own = tuple(match.own_seats)
        self._single = self._own[0] if len(self._own) == 1 else None
        self._names = name_seats(match, style.language)
        self._turn: Turn | None = None
        self._last: Update | None = None  # as the match stands
        self._at_table: int | None = self._single  # whose hand the terminal may show
        self._waiting: Turn | None = None  # until the next person says that nobody else looks
        self._asked: LegalAction | None = None
        self._answers = Answers(game, style.language)
        self._sight = Sight(client, game, match.name, self._single, style.language)
        self._waits_for: tuple[int, ...] = ()

    async def run(self, keyboard: Keyboard, habits: Habits, *, from_start: bool) -> bool:
        """Plays until the match is over (true) or the person leaves (false)."""
        self._habits = habits
        following = self._client.follow(
            self._match.name, seat=self._single, position=True, actions=True, labels=True, from_start=from_start
        )
        async with following as table, asyncio.TaskGroup() as group:
            news = group.create_task(_next(table))
            line = group.create_task(keyboard.line())
            try:
                while True:
                    done, _ = await asyncio.wait((news, line), return_when=asyncio.FIRST_COMPLETED)
                    if news in done:
                        update = news.result()
                        if update is None or await self._hear(table, update):
                            return True
                        news = group.create_task(_next(table))
                    elif not await self._typed(table, line.result()):
                        return False
                    else:
                        line = group.create_task(keyboard.line())
            finally:
                news.cancel()
                line.cancel()

    async def _hear(self, table: Following, update: Update) -> bool:
        """Tells an entry and, where it is the newest, what to do now; whether the match is over."""
        if self._turn is not None:
            self._screen.line()
        self._turn = self._waiting = self._asked = None
        if update.part is not None and (update.part.HasField("cause") or update.part.HasField("start")):
            self._match = await self._client.get(self._match.name, self._single)
            self._names = name_seats(self._match, self._style.language)
        await self._tell(update)
        if update.end is not None:
            await self._draw(update, self._at_table)
            self._screen.head(tell_end(update.end, self._names, self._style.language))
            return True
        if update is table.last:
            self._last = update
            await self._stand(table, update)
        return False

    async def _tell(self, update: Update) -> None:
        """The entry in sentences; what only one of several people here may know waits until it is that one's turn."""
        if told := await self._sight.sentences(update):
            self._screen.tell(told)
        by_others = update.part is not None and update.part.HasField("seat") and update.part.seat not in self._own
        if by_others and self._style.pace_s:
            await asyncio.sleep(self._style.pace_s)

    async def _stand(self, table: Following, update: Update) -> None:
        """Whose turn it is now."""
        status = update.status
        owing = [s for s in self._own if status and s in status.turn]
        mine = owing or [s for s in self._own if status and s in status.may_act]
        if not mine and update.snapshot is not None:
            await self._draw(update, self._at_table)  # who comes back sees where it stands
        if not owing:
            self._say_waiting(status.turn if status else ())
        if not mine:
            return
        self._waits_for = self._waits_for if not owing else ()
        seat = self._at_table if self._at_table in mine else mine[0]
        naming = await self._sight.naming()
        turn = Turn(seat, update, await self._sight.actions(update, seat), is_owed=bool(owing), naming=naming)
        if seat != self._at_table:
            self._at_table, self._waiting = None, turn
            self._screen.wipe()
            self._screen.ask(self._in(phrases.NEXT_HAND, seat=seat))
            return
        await self._begin(table, turn)

    def _say_waiting(self, seats: Sequence[int]) -> None:
        if tuple(seats) != self._waits_for or not seats:
            self._waits_for = tuple(seats)
            who = ", ".join(self._names[seat] for seat in seats if seat < len(self._names)) or self._absent
            self._screen.say(self._in(phrases.WAITING, who=who))

    @property
    def _absent(self) -> str:
        is_open = any(not (seat.player or seat.bot_policy) for seat in self._match.seats)
        return self._in(phrases.OTHERS if is_open else phrases.START)

    async def _begin(self, table: Following, turn: Turn) -> None:
        """Shows the table to the seat and asks for its decision."""
        self._turn = turn
        habit = self._habits.answer(self._question(turn))
        if turn.end is not None and habit:
            await self._play(table, turn, turn.end)
            return
        await self._draw(turn.update, turn.seat)
        if turn.end is not None and len(turn.actions) == 1 and habit is None:
            self._ask_about(turn.end, self._in(phrases.ALL_THAT_IS_LEFT, label=turn.end.label))
        else:
            turn.show(self._screen)

    def _ask_about(self, end: LegalAction, question: str) -> None:
        self._asked = end
        self._screen.ask(self._in(phrases.ASKED, question=question))

    async def _typed(self, table: Following, line: str | None) -> bool:
        """Acts on a line; false when the person leaves."""
        typed = (line or "").strip()
        if line is None or typed in ("q", "quit"):
            return False
        if self._waiting is not None:
            turn, self._waiting = self._waiting, None
            self._at_table = turn.seat
            self._screen.wipe()
            await self._begin(table, turn)
        elif typed.startswith("?"):
            self._screen.say(self._answers.explain(typed[1:].strip()))
            self._ask_again()
        elif typed == "ask":
            self._habits.forget()
            self._screen.say(self._in(phrases.ASKED_AGAIN))
        elif typed == "resign":
            await self._resign()
        elif self._turn is None and typed == "d" and self._last is not None:
            await self._draw(self._last, self._at_table)
        elif self._turn is None:
            self._screen.say(self._in(phrases.NOT_YOUR_TURN))
        elif self._asked is not None:
            await self._remember(table, self._turn, typed)
        else:
            await self._choose(table, self._turn, typed)
        return True

    async def _remember(self, table: Following, turn: Turn, typed: str) -> None:
        """Takes the answer to whether turns like this end by themselves: for good where nothing else is possible."""
        end, self._asked = self._asked, None
        assert end is not None
        is_yes, is_all = typed[:1].lower() in self._in(phrases.YES).split(), len(turn.actions) == 1
        self._habits.keep(self._question(turn), is_yes, for_good=is_all)
        if is_yes or not is_all:
            await self._play(table, turn, end)
        else:
            turn.show(self._screen)

    async def _choose(self, table: Following, turn: Turn, typed: str) -> None:
        if not typed and turn.sole is not None:
            await self._play(table, turn, turn.sole)
            return
        if not typed:
            turn.back()
        elif typed == "d":
            await self._draw(turn.update, turn.seat)
        elif typed.startswith("try "):
            await self._try(table, turn, typed[4:])
            return
        else:
            chosen = turn.choose(typed)
            if isinstance(chosen, LegalAction):
                is_new = chosen is turn.end and self._habits.answer(self._question(turn)) is None
                if is_new and len(turn.actions) > 1:
                    self._ask_about(chosen, self._in(phrases.WHENEVER_LIKE_THIS))
                else:
                    await self._play(table, turn, chosen)
                return
            if chosen:
                self._screen.warn(chosen)
        turn.show(self._screen)

    async def _play(self, table: Following, turn: Turn, chosen: LegalAction) -> None:
        if chosen.label:
            self._screen.say(f"→ {chosen.label}")
        await self._send(table, turn, chosen.action)

    async def _try(self, table: Following, turn: Turn, text: str) -> None:
        try:
            action = json_format.Parse(text, self._game.Action())
        except json_format.ParseError as problem:
            self._screen.warn(self._in(phrases.UNREADABLE, problem=problem))
            turn.show(self._screen)
            return
        await self._send(table, turn, action)

    async def _send(self, table: Following, turn: Turn, action: Message) -> None:
        """Asks for the action. What became of it is told when its entry comes; a refusal is told at once."""
        try:
            await table.play(action, at=turn.update, seat=turn.seat)
        except ArgosyError as error:
            if error.name in _PASSING:
                return  # the match went on; the next entry says how it stands
            self._screen.warn(self._answers.refused(error))
            turn.show(self._screen)

    async def _resign(self) -> None:
        try:
            await self._client.resign(self._match.name, self._own[0])
        except ArgosyError as error:
            self._screen.warn(self._in(phrases.REFUSED, why=error))

    def _ask_again(self) -> None:
        if self._turn is not None and self._asked is None:
            self._turn.show(self._screen)

    async def _draw(self, update: Update, seat: int | None) -> None:
        if drawn := await self._sight.drawing(update, seat):
            self._screen.line()
            self._screen.draw(drawn)

    def _in(self, phrase: phrases.Phrase, **values: object) -> str:
        return phrase(self._style.language, **values)

    def _question(self, turn: Turn) -> str:
        return f"{self._game.id}: {turn.kinds}"


async def _next(table: Following) -> Update | None:
    return await anext(table, None)
