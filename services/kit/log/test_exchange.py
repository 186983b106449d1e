"""Questions of many callers over one connection: each gets its own reply, in time, or is told that there is none."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from typing import Any

from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as TimedOut

from services.kit.log.log import open_log
from services.kit.log.servers import NETWORK, RedisSettings, Server
from tests import servers
from tests.servers import Store

_KEY = "k"


@contextlib.asynccontextmanager
async def asking(store: Store, timeout_s: float = 60.0) -> AsyncIterator[Server]:
    async with open_log(RedisSettings(redis_url=store.url, redis_timeout_s=timeout_s)) as log:
        yield log.servers.of(0)


async def asked(server: Server, *command: str) -> Any:
    """The reply, or as a value why there is none."""
    try:
        return await server.ask(*command)
    except Exception as failure:  # noqa: BLE001 - compared by the tests
        return failure


async def test_each_caller_gets_its_reply_or_refusal() -> None:
    with servers.running() as store:
        async with asking(store) as server:
            asked_for = [("ECHO", str(n)) if n % 7 else ("NONSENSE", str(n)) for n in range(500)]
            replies = await asyncio.gather(*(asked(server, *command) for command in asked_for))
    for (word, text), reply in zip(asked_for, replies, strict=True):
        if word == "ECHO":
            assert reply == text.encode()
        else:
            assert isinstance(reply, ResponseError)
            assert f"'{text}'" in str(reply)


async def test_all_questions_share_one_connection() -> None:
    with servers.running() as store:
        async with asking(store) as server:
            told = await asyncio.gather(*(server.ask("CLIENT", "ID") for _ in range(200)))
    assert len(set(told)) == 1


async def until_answered(server: Server, *command: str) -> Any:
    """The first reply that comes: an end of the connection may be told late, or a short deadline pass."""
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(*NETWORK):
                return await server.ask(*command)
            await asyncio.sleep(0.02)


async def until_waiting() -> None:
    """Lets what was asked be sent, as far as it may be."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_who_is_cancelled_leaves_a_reply_that_nobody_else_gets(own_store: Store) -> None:
    async with asking(own_store) as server:
        assert await server.ask("ECHO", "first") == b"first"
        own_store.kill(signal.SIGSTOP)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(server.ask("ECHO", str(n))) for n in range(100)]
            await until_waiting()
            for task in tasks[::3]:
                task.cancel()
            await until_waiting()
            own_store.kill(signal.SIGCONT)
        kept = [(n, task.result()) for n, task in enumerate(tasks) if not task.cancelled()]
        assert kept == [(n, str(n).encode()) for n in range(100) if n % 3]


async def test_who_is_cancelled_before_its_turn_is_never_sent(own_store: Store) -> None:
    async with asking(own_store) as server:
        own_store.kill(signal.SIGSTOP)
        async with asyncio.TaskGroup() as group:
            counted = [group.create_task(server.ask("INCR", _KEY)) for _ in range(50)]
            spoiling = group.create_task(server.ask("SET", _KEY, "spoilt"))
            await until_waiting()
            spoiling.cancel()
            own_store.kill(signal.SIGCONT)
        assert sorted(task.result() for task in counted) == list(range(1, 51))
        assert await server.ask("GET", _KEY) == b"50"


async def test_a_silent_server_is_told_to_all_and_nothing_is_sent_twice(own_store: Store) -> None:
    async with asking(own_store, timeout_s=0.5) as server:
        own_store.kill(signal.SIGSTOP)
        told = await asyncio.gather(*(asked(server, "INCR", _KEY) for _ in range(100)))
        assert {type(failure) for failure in told} == {TimedOut}
        own_store.kill(signal.SIGCONT)
        assert int(await until_answered(server, "GET", _KEY) or 0) < 20, "who waited its turn was sent"


async def test_who_waits_its_turn_for_too_long_is_told(own_store: Store) -> None:
    async with asking(own_store, timeout_s=1.0) as server:
        slow = await asyncio.gather(*(asked(server, "BLPOP", "absent", "0.2") for _ in range(50)))
        assert {type(reply) for reply in slow} <= {type(None), TimedOut}
        assert isinstance(slow[-1], TimedOut)


async def test_a_lost_connection_is_told_to_all_and_opened_again(own_store: Store) -> None:
    async with asking(own_store) as server:
        assert await server.ask("SET", _KEY, "1") == b"OK"
        own_store.kill(signal.SIGSTOP)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(asked(server, "INCR", _KEY)) for _ in range(100)]
            await until_waiting()
            own_store.kill()
        told = [task.result() for task in tasks]
        assert {type(failure) for failure in told} == {Disconnected}
        assert len(set(map(id, told))) == len(told), "each caller raises an exception of its own"
        assert isinstance(await asked(server, "GET", _KEY), NETWORK)
        own_store.start()
        assert await server.ask("GET", _KEY) == b"1"


async def test_a_connection_that_ended_while_nobody_asked_is_opened_again(own_store: Store) -> None:
    async with asking(own_store) as server:
        before = await server.ask("CLIENT", "ID")
        assert await server.ask_apart("CLIENT", "KILL", "ID", before) == 1
        assert await until_answered(server, "CLIENT", "ID") != before


async def test_what_blocks_holds_up_nobody(own_store: Store) -> None:
    async with asking(own_store) as server, asyncio.TaskGroup() as group:
        blocked = group.create_task(server.ask_apart("BLPOP", "list", "50"))
        assert await server.ask("ECHO", "meanwhile") == b"meanwhile"
        assert not blocked.done()
        await server.ask("RPUSH", "list", "x")
        assert (await blocked)[1] == b"x"
