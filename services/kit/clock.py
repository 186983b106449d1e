"""The time as entries and rows have it."""

import time


def now_ms() -> int:
    """Milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000
