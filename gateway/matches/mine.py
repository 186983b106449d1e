"""All matches of one player: found in the log's index, now and as they come (services/kit/log/holdings.py)."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from services.kit.errors import Refused
from services.kit.log import ids
from services.kit.log.entries import StorageLow, Unavailable
from services.kit.waiting import is_set_within
from services.match.matches import Matches
from services.match.table import ENDED, Phase, Table

_WHOLE_S = 15.0
"""So often the whole index is read, whatever the news: they can be lost without a word."""
_RETRY_S = 1.0
_SLACK_MS = 60_000
"""Clocks differ, and a mark comes before its entry: a younger one may be of a seat about to be taken."""
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Seated:
    """A match of the player's: its seats there (none: it has left), and the id of its ticket, or ""."""

    table: Table
    seats: tuple[int, ...]
    ticket: str = ""


Take = Callable[[Seated], bool]
"""Takes a match; false where there is no room for it now: it is offered again."""


class Mine:
    """Finds a player's matches and offers each to `take`, again when its seats change.

    Matches that were over before it began are not offered.
    """

    def __init__(
        self, matches: Matches, player: bytes, games: frozenset[str], take: Take, complete: Callable[[], None]
    ) -> None:
        """`complete` is called whenever the whole index was read."""
        self._tables, self._holdings = matches.tables, matches.tables.log.holdings
        self._player, self._games, self._take, self._complete = player, games, take, complete
        self._begun_ms = self._since_ms = int(time.time() * 1000)
        self._pending: dict[bytes, int] = {}  # marks not yet made out, with their times
        self._told: dict[bytes, Seated] = {}
        self._open = set[bytes]()  # those among them whose seats may change
        self._is_whole, self._news = True, asyncio.Event()

    async def run(self) -> None:
        """Looks until cancelled; a store that is away is asked again."""
        with self._holdings.follow(self._player, self._hear):
            while True:
                pause = _WHOLE_S
                try:
                    await self._look()
                except (Unavailable, StorageLow):
                    _log.warning("holdings_not_read")
                    pause, self._is_whole = _RETRY_S, True
                if not await is_set_within(self._news, pause):
                    self._is_whole = True
                self._news.clear()

    def _hear(self, version: int | None) -> None:
        self._is_whole |= version is None
        self._news.set()

    async def _look(self) -> None:
        now, is_whole, self._is_whole = int(time.time() * 1000), self._is_whole, False
        since = 0 if is_whole else self._since_ms
        for match, marked_ms in await self._holdings.marked(self._player, since):
            if match not in self._told:
                self._pending[match] = marked_ms
        self._since_ms = now - _SLACK_MS
        for match, marked_ms in tuple(self._pending.items()):
            if await self._is_settled(match, marked_ms):
                del self._pending[match]
        for match in tuple(self._told):
            await self._compare(match)
        if is_whole:
            self._complete()

    async def _is_settled(self, match: bytes, marked_ms: int) -> bool:
        """Whether a mark is made out: the match was offered and taken, or is none of the player's."""
        table = await self._found(match)
        seats = table.seats_of(self._player) if table is not None else ()
        if table is None or not seats or table.phase in ENDED:
            is_old = marked_ms < time.time() * 1000 - _SLACK_MS
            if is_old and (table is None or not table.is_frozen):
                await self._holdings.drop(self._player, match, marked_ms)
            if not seats or marked_ms < self._begun_ms:
                return is_old or bool(seats)
        assert table is not None
        if self._games and table.created.game not in self._games:
            return True
        ticket = await self._holdings.ticket(self._player, match) if table.creator == ids.ZERO else ""
        return self._offer(match, Seated(table, seats, ticket))

    def _offer(self, match: bytes, found: Seated) -> bool:
        if not self._take(found):
            return False
        self._told[match] = found
        (self._open.add if found.table.phase is Phase.OPEN else self._open.discard)(match)
        if not found.seats:  # when it comes back, that is news
            del self._told[match]
        return True

    async def _found(self, match: bytes) -> Table | None:
        """The table; None where there is no such match. Raises Unavailable while that cannot be found out."""
        try:
            return await self._tables.fresh(match)
        except Refused as refused:
            if refused.name == "NOT_FOUND":
                return None
            _log.warning("own_match_not_read", match=ids.to_text(match), code=refused.name)
            raise Unavailable("a match cannot be read now") from None

    async def _compare(self, match: bytes) -> None:
        """Offers a match again whose seats have changed, which they do only before the start."""
        table = self._tables.known(match)
        if match not in self._open or table is None:
            return
        try:
            await self._tables.check(table, 0.0)
        except Refused as refused:
            _log.warning("own_match_not_read", match=ids.to_text(match), code=refused.name)
            return
        told, seats = self._told[match], table.seats_of(self._player)
        if table.phase is not Phase.OPEN:
            self._open.discard(match)
        if seats != told.seats:
            self._offer(match, Seated(table, seats, told.ticket))
