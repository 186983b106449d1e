"""One process at a time reads; on SQLite and Postgres."""

import asyncio

from services.replay.library import Library
from services.replay.turns import turn

HOMES = range(3, 9)


async def test_a_second_one_waits_until_the_first_has_ended(library: Library) -> None:
    draining, has_begun, order = asyncio.Event(), asyncio.Event(), list[str]()

    async def second() -> None:
        has_begun.set()
        async with turn(library.database, range(8, 12), draining) as is_ours:
            assert is_ours
            order.append("second")

    async with asyncio.TaskGroup() as group, turn(library.database, HOMES, draining) as is_ours:
        assert is_ours
        group.create_task(second())
        await has_begun.wait()
        await asyncio.sleep(0.7)
        order.append("first")
    assert order == ["first", "second"]


async def test_who_drains_waits_no_more(library: Library) -> None:
    draining = asyncio.Event()
    async with turn(library.database, HOMES, asyncio.Event()):
        asyncio.get_running_loop().call_later(0.2, draining.set)
        async with turn(library.database, HOMES, draining) as is_ours:
            assert not is_ours
