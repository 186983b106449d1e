"""The index of matches with bots' seats: a sorted set of ids by the time at which each was marked.

It is marked before the entry that starts the match and unmarked after the one that ends it, so it never lacks a match
that goes on; it may hold one that never began or is over. One key holds it, since nothing is written together with it.
"""

from typing import Any, Final

from services.kit.log import ids, partitions
from services.kit.log.asking import ask
from services.kit.log.servers import Servers

KEY: Final = f"{{{partitions.TAGS[0]}}}:bots"


async def mark(servers: Servers, match: bytes, now_ms: int) -> None:
    """Marks a match that is about to start. Idempotent. Raises Unavailable or StorageLow."""
    await ask(servers, 0, "ZADD", KEY, "GT", now_ms, ids.to_text(match))


async def unmark(servers: Servers, match: bytes) -> None:
    """Marks a match no longer. Idempotent. Raises Unavailable."""
    await ask(servers, 0, "ZREM", KEY, ids.to_text(match))


async def marked(servers: Servers, since_ms: int) -> list[tuple[bytes, int]]:
    """The matches marked at or after this time, with the time, in its order. Raises Unavailable."""
    reply = await ask(servers, 0, "ZRANGEBYSCORE", KEY, since_ms, "+inf", "WITHSCORES")
    return [(ids.from_text(text.decode()), _ms(score)) for text, score in _pairs(reply)]


def _pairs(reply: Any) -> list[tuple[bytes, Any]]:
    """Members and scores: one list of both in the older protocol, a list of pairs in the newer."""
    if reply and not isinstance(reply[0], list | tuple):
        return list(zip(reply[::2], reply[1::2], strict=True))
    return [tuple(pair) for pair in reply]


def _ms(score: Any) -> int:
    return int(float(score))
