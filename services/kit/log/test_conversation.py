"""A connection whose replies are handed on as they come, and its end."""

import asyncio
from typing import Any

import hiredis
import pytest
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import ResponseError

from services.kit.log.conversation import Conversation
from services.kit.log.log import open_log
from services.kit.log.outcomes import pack
from services.kit.log.servers import RedisSettings
from tests.servers import running


class Listener:
    """Collects replies and ends; `heard` is set at each."""

    def __init__(self) -> None:
        self.replies, self.ends, self.heard = list[Any](), list[Exception](), asyncio.Event()

    def hear(self, reply: Any) -> None:
        self.replies.append(reply)
        self.heard.set()

    def lose(self, error: Exception) -> None:
        self.ends.append(error)
        self.heard.set()

    async def until(self, replies: int, ends: int) -> None:
        async with asyncio.timeout(60):
            while (len(self.replies), len(self.ends)) != (replies, ends):
                self.heard.clear()
                await self.heard.wait()


async def opened(url: str, listener: Listener) -> Conversation:
    async with open_log(RedisSettings(redis_url=url)) as log:
        (server,) = log.servers.all
        return await server.converse(listener.hear, listener.lose)


async def test_replies_come_in_order_and_refusals_as_exceptions() -> None:
    with running() as store:
        listener = Listener()
        line = await opened(store.url, listener)
        for words in (("ECHO", "a"), ("NONSENSE",), ("ECHO", "b" * 100_000)):
            line.send(pack(*words))
        await listener.until(3, 0)
        await line.close()
    first, refused, last = listener.replies
    assert (first, last) == (b"a", b"b" * 100_000)
    assert isinstance(refused, ResponseError)
    assert not listener.ends, "who closes is not told"


async def test_after_the_server_has_gone_nothing_can_be_sent() -> None:
    with running() as store:
        listener = Listener()
        line = await opened(store.url, listener)
        store.kill()
        await listener.until(0, 1)
        assert line.is_lost
        assert isinstance(listener.ends[0], Disconnected | OSError)
        with pytest.raises(Disconnected):
            line.send(hiredis.pack_command(("PING",)))
        await line.close()


async def test_what_fails_on_a_reply_is_told_once_and_ends_the_connection() -> None:
    with running() as store:
        listener = Listener()

        def fail(reply: Any) -> None:
            listener.hear(reply)
            raise ValueError("a bug")

        async with open_log(RedisSettings(redis_url=store.url)) as log:
            line = await log.servers.all[0].converse(fail, listener.lose)
            line.send(hiredis.pack_command(("PING",)) * 2)
            await listener.until(1, 1)
            await line.close()
    assert isinstance(listener.ends[0], ValueError)
