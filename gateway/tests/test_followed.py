"""What one stream follows, and what is remembered of it."""

import asyncio
import tracemalloc
from typing import Any

from gateway.matches.followed import Followed
from gateway.matches.sinks import Sink


async def test_what_a_client_does_not_follow_any_more_takes_no_memory_without_end() -> None:
    nobody: Any = None
    async with asyncio.TaskGroup() as group:
        followed = Followed(group, nobody, nobody, sink=Sink[bytes](), emit=lambda *_: None, fail=lambda *_: None)
        tracemalloc.start()
        try:
            for number in range(1_000):
                followed.unfollow(f"matches/{number:065000}")
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert held < 12_000_000
