"""The index of players' matches: for each player a sorted set of match ids by the time at which each was marked.

A match is marked before the entry that seats the player and unmarked after the one that ends it, so the set never lacks
a match in which the player holds a seat. It may hold one that never came to be, that is over, or that the player has
left: who reads it finds that out and drops the mark. A set lies with its player, not with its matches: nothing is
written together with it.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from services.kit.log import ids, partitions
from services.kit.log.asking import ask
from services.kit.log.news import Following, OnNews
from services.kit.log.servers import Servers

_DAY_S: Final = 86_400
_KEPT_S: Final = 400 * _DAY_S
"""Longer than any match can be idle: a set that nobody marked for so long holds nothing that goes on."""
_MARK: Final = """
redis.call('ZADD', KEYS[1], 'GT', ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4], 'EX', ARGV[5]) end
"""
_DROP: Final = """
local found = redis.call('ZSCORE', KEYS[1], ARGV[2])
if found and tonumber(found) <= tonumber(ARGV[1]) then
  redis.call('ZREM', KEYS[1], ARGV[2])
  redis.call('DEL', KEYS[2])
end
"""


class Holdings:
    """The marks of all players. Its calls raise Unavailable, those that write StorageLow."""

    def __init__(self, servers: Servers, following: Following) -> None:
        self._servers, self._following = servers, following

    async def mark(self, player: bytes, match: bytes, now_ms: int, ticket: str = "") -> None:
        """Says that a player is about to be seated, by this ticket if there was one. Idempotent."""
        keys = _key(player), _ticket_key(player, match)
        arguments = (now_ms, ids.to_text(match), _KEPT_S, ticket, _DAY_S)
        await ask(self._servers, player[0], "EVAL", _MARK, len(keys), *keys, *arguments)

    async def drop(self, player: bytes, match: bytes, until_ms: int) -> None:
        """Takes a mark away unless it was made anew after this time. Idempotent."""
        keys = _key(player), _ticket_key(player, match)
        await ask(self._servers, player[0], "EVAL", _DROP, len(keys), *keys, until_ms, ids.to_text(match))

    async def marked(self, player: bytes, since_ms: int) -> list[tuple[bytes, int]]:
        """The player's matches marked at or after this time, with it, in its order."""
        reply = await ask(self._servers, player[0], "ZRANGEBYSCORE", _key(player), since_ms, "+inf", "WITHSCORES")
        return [(ids.from_text(text.decode()), int(float(score))) for text, score in _pairs(reply)]

    async def ticket(self, player: bytes, match: bytes) -> str:
        """The id of the player's ticket of which the match was made within a day; "" for none."""
        found = await ask(self._servers, player[0], "GET", _ticket_key(player, match))
        return found.decode() if found else ""

    async def tell(self, player: bytes) -> None:
        """Tells whoever follows this player to look again."""
        await ask(self._servers, player[0], "SPUBLISH", _key(player), 1)

    @contextlib.contextmanager
    def follow(self, player: bytes, on_news: OnNews) -> Iterator[None]:
        """Calls `on_news` when a player's seats have changed, with None whenever that may have been missed.

        The first None comes once the subscription stands. News may be lost: look again from time to time.
        """
        channel = _key(player).encode()
        self._following.start(channel, on_news)
        try:
            yield
        finally:
            self._following.end(channel, on_news)


def _key(player: bytes) -> str:
    """The player's set, which is also the channel of its news."""
    return f"{{{partitions.TAGS[player[0]]}}}:mine:{ids.to_text(player)}"


def _ticket_key(player: bytes, match: bytes) -> str:
    return f"{{{partitions.TAGS[player[0]]}}}:seated:{ids.to_text(player)}:{ids.to_text(match)}"


def _pairs(reply: Any) -> list[tuple[bytes, Any]]:
    """Members and scores: one list of both in the older protocol, a list of pairs in the newer."""
    if reply and not isinstance(reply[0], list | tuple):
        return list(zip(reply[::2], reply[1::2], strict=True))
    return [tuple(pair) for pair in reply]
