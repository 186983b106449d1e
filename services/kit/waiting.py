"""Waiting for something to happen, for so long at most."""

import asyncio


async def is_set_within(event: asyncio.Event, seconds: float) -> bool:
    """Whether the event is set; waits so long for it.

    Not `asyncio.wait_for`: until Python 3.12 that forgets a cancellation which comes together with the event.
    """
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return event.is_set()
