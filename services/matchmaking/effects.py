"""What happens to tickets when something has happened to their match."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from services.kit.log import ids
from services.kit.log.asking import ask
from services.matchmaking import intents, library
from services.matchmaking.intents import Intent
from services.matchmaking.places import Place, place_of
from services.matchmaking.queues import Queues


class Turn(StrEnum):
    """What became of a match, as far as its tickets are concerned."""

    NONE = ""
    STARTED = "started"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that happened to a match. `counted` names what is to be counted, "" for nothing.

    `intent` is None for a match that was not made of tickets. `position` is that of the pointer in the feed of the
    match's partition, "" where it was found out otherwise.
    """

    match: bytes
    turn: Turn = Turn.NONE
    counted: str = ""
    intent: Intent | None = None
    position: str = ""


class Effects:
    """Stores effects together with the position up to which they are stored."""

    def __init__(self, queues: Queues) -> None:
        self._queues = queues

    async def store(self, game: str, heard: Heard) -> None:
        """Frees players, closes tickets, counts. Doing it again changes nothing."""
        place = place_of(game)
        seated = heard.intent.seated if heard.intent else []
        waiting = place.waiting(heard.intent.queue if heard.intent else "")
        shared = (place.intents, place.made, waiting, place.positions, place.results)
        keys = (*shared, *(place.ticket(s.ticket) for s in seated))
        people = [part for s in seated for part in (s.ticket, ids.from_text(s.player))]
        about = (heard.match, heard.turn.value, heard.counted, self._queues.kept_ms)
        where = (partition_text(heard.match), heard.position)
        await self._queues.call(place, library.HEAR, keys, *about, *where, *people)

    async def made(self, place: Place, matches: Iterable[bytes]) -> dict[bytes, Intent]:
        """Those of the matches that were made of tickets of a game and have not started as far as is stored."""
        asked = list(matches)
        found = await ask(self._queues.servers, place.partition, "HMGET", place.made, *asked)
        return {match: intents.load(value) for match, value in zip(asked, found, strict=True) if value is not None}

    async def positions(self, games: Iterable[str]) -> dict[int, str]:
        """By partition, the furthest position up to which effects are stored."""
        furthest: dict[int, str] = {}
        for place in map(place_of, games):
            stored = await ask(self._queues.servers, place.partition, "HGETALL", place.positions)
            for partition, position in zip(stored[::2], stored[1::2], strict=True):
                number, at = int(partition), position.decode()
                furthest[number] = max(furthest.get(number, "0-0"), at, key=_ordered)
        return furthest


def partition_text(match: bytes) -> str:
    """The match's partition, as positions are kept by it."""
    return str(match[0])


def _ordered(position: str) -> tuple[int, int]:
    ms, _, number = position.partition("-")
    return int(ms), int(number)
