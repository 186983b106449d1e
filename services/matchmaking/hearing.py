"""Hears of matches by the feed: frees players, closes tickets, counts results.

One process at a time reads the feed of all partitions, always under the same name, so that the next one finds what it
had not acknowledged. Effects are stored before pointers are acknowledged, together with the position.
"""

import asyncio
from collections.abc import Iterable, Sequence

import structlog
from argosy.v1 import entry_pb2
from google.protobuf.message import DecodeError

from services.kit.log import ids, partitions
from services.kit.log.entries import BrokenHistory, Entry, StorageLow, Unavailable
from services.kit.log.feed import GroupLost, Pointer
from services.kit.log.log import EventLog
from services.kit.waiting import is_set_within
from services.matchmaking.claims import Claims
from services.matchmaking.effects import Effects, Heard, Turn
from services.matchmaking.intents import Intent
from services.matchmaking.places import place_of

GROUP = "matchmaking"
READER = "feed-reader"
"""Stands for a game where the lease on the feed is kept; no game may be called so."""
_CONSUMER, _COUNT = "matchmaking", 256
_PAUSE_S, _RETRY_S, _LONGEST_S = 0.05, 1.0, 1.0
_OPEN_PAGE = 256  # entries of a match before its start are few
_AWAY = (Unavailable, StorageLow)
_Outcome = entry_pb2.End.Outcome
_log = structlog.get_logger()


class Hearing:
    """One process's part in reading the feed."""

    def __init__(self, log: EventLog, effects: Effects, claims: Claims, games: Sequence[str], lease_s: float) -> None:
        self._log, self._effects, self._claims, self._games = log, effects, claims, games
        self._lease_s = lease_s
        self._feed = log.feed(GROUP, _CONSUMER)

    async def run(self, draining: asyncio.Event) -> None:
        """A task of the process: reads whenever no other process does, until this one drains."""
        while not draining.is_set():
            try:
                pause = _PAUSE_S if await self._hold() and await self._read_held(draining) else self._lease_s / 3
            except _AWAY as error:
                _log.warning("feed_not_read", type=type(error).__qualname__)
                pause = _RETRY_S
            except GroupLost as lost:
                _log.warning("feed_group_lost", partition=lost.partition)
                pause = _PAUSE_S
            await is_set_within(draining, pause)
        await self._release()

    async def consume(self, pointers: Sequence[Pointer]) -> None:
        """Stores the effects of entries, in their order, then acknowledges them."""
        last = {pointer.match: pointer for pointer in pointers}
        made = await self._made(last)
        for pointer in (p for p in pointers if p is last[p.match]):
            game, heard = await self._heard(pointer, made.get(pointer.match))
            if heard.turn or heard.counted:
                await self._effects.store(game, heard)
        await self._feed.acknowledge(pointers)

    async def _hold(self) -> bool:
        return await self._claims.hold(int(self._lease_s * 1000))

    async def _read_held(self, draining: asyncio.Event) -> bool:
        """Reads until the lease is lost or the process drains; the group is made where it is missing."""
        await self._feed.create(await self._effects.positions(self._games))
        for partition in range(partitions.COUNT):
            await self._read_pending(partition)
        while not draining.is_set() and await self._hold():
            pointers = await self._feed.read(_COUNT, min(_LONGEST_S, self._lease_s / 3))
            if pointers:
                await self.consume(pointers)
                await asyncio.sleep(_PAUSE_S)  # so that the next reading has more of each match at once
        return draining.is_set()

    async def _read_pending(self, partition: int) -> None:
        after = "0"
        while pointers := await self._feed.read_pending(partition, _COUNT, after):
            after = pointers[-1].position
            await self.consume(pointers)

    async def _made(self, matches: Iterable[bytes]) -> dict[bytes, Intent]:
        asked, found = list(matches), dict[bytes, Intent]()
        for game in self._games:
            found |= await self._effects.made(place_of(game), asked)
        return found

    async def _heard(self, pointer: Pointer, intent: Intent | None) -> tuple[str, Heard]:
        """The game, and what has happened to the match; nothing for a history that cannot be read."""
        try:
            return await self._looked(pointer, intent)
        except (BrokenHistory, DecodeError) as error:
            where = {"match": ids.to_text(pointer.match), "version": pointer.version}
            _log.error("entry_not_heard", type=type(error).__qualname__, **where)
            return "", Heard(pointer.match)

    async def _looked(self, pointer: Pointer, intent: Intent | None) -> tuple[str, Heard]:
        match, turn, counted = pointer.match, Turn.NONE, ""
        entries = await self._log.read(match, pointer.version - 1, 1)
        part = _public_part(entries[0]) if entries else entry_pb2.EntryPart()
        game = intent.game if intent else ""
        if part.HasField("end"):
            counted = _Outcome.Name(part.end.outcome).removeprefix("OUTCOME_")
            game = game or await self._game_of(match)
        if intent is not None:
            turn = _turn([_public_part(e) for e in await self._log.read(match, 0, _OPEN_PAGE)])
        if not game:
            return "", Heard(match)
        return game, Heard(match, turn, counted, intent, pointer.position)

    async def _game_of(self, match: bytes) -> str:
        """The match's game, where matchmaking knows it."""
        entries = await self._log.read(match, 0, 1)
        game = _public_part(entries[0]).cause.created.game if entries else ""
        return game if game in self._games else ""

    async def _release(self) -> None:
        try:
            await self._claims.release()
        except _AWAY:
            _log.warning("feed_lease_not_released")


def _public_part(entry: Entry) -> entry_pb2.EntryPart:
    return entry_pb2.EntryPart.FromString(entry_pb2.StoredEntry.FromString(entry.body).public_part)


def _turn(parts: Sequence[entry_pb2.EntryPart]) -> Turn:
    """What the history of a match from its beginning says; one that has left the log has ended."""
    if not parts or any(part.HasField("start") for part in parts):
        return Turn.STARTED
    return Turn.CLOSED if parts[-1].HasField("end") else Turn.NONE
