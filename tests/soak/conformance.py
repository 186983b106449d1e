"""Every law of every game, on matches of random actions played to their end: `make conform`."""

import asyncio
import sys

from services.rules.conform import Effort, conform
from services.rules.loading import list_games
from tests.conformance.combinations import combinations
from tests.rules_host import run_host


async def main() -> int:
    """Prints what was found of each game; 1 when a law does not hold."""
    is_ok = True
    for game in list_games():
        async with run_host([game]) as host:
            effort = Effort(samples=combinations() if game == "ruhe" else ())
            report = await conform(host.address, games=[game], effort=effort)
        print(*report.lines(), sep="\n", flush=True)
        is_ok = is_ok and report.is_ok
    return int(not is_ok)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
