"""Who waits for an event for so long at most is told whether it came, and can be cancelled at any time."""

import asyncio

import pytest

from services.kit.waiting import is_set_within


async def test_an_event_that_is_set_ends_the_wait() -> None:
    event = asyncio.Event()
    asyncio.get_running_loop().call_soon(event.set)
    assert await is_set_within(event, 60)
    assert await is_set_within(event, 0)


async def test_an_event_that_does_not_come_is_waited_for_no_longer() -> None:
    assert not await is_set_within(asyncio.Event(), 0.01)


async def test_a_cancellation_that_comes_together_with_the_event_is_not_forgotten() -> None:
    event = asyncio.Event()
    task = asyncio.create_task(is_set_within(event, 60))
    await asyncio.sleep(0)
    event.set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
