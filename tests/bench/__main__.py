"""Runs the benchmark: `make bench`, or `python -m tests.bench [PART ...] [--rounds 5] [--moves 2000] [--json FILE]`.

Everything that a part needs is started by it, on free ports, and ended. The cost of a move is what the servers'
processes spent by the system's own accounting, divided by the moves made meanwhile; clients' apart.
"""

import argparse
import asyncio
from pathlib import Path
from typing import Any

from tests.bench.parts import PARTS, SIZES, Effort
from tests.bench.tables import machine, write_json


def main() -> None:
    """Reads the arguments and runs the parts."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measures what moves cost.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all where none is named")
    parser.add_argument("--rounds", type=int, default=5, help="rounds whose medians count, 5")
    parser.add_argument("--moves", type=int, default=2000, help="moves of a round at 64 matches and more, 2000")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="matches at once")
    parser.add_argument("--json", type=Path, default=Path("bench.json"), help="where all figures go, bench.json")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    asyncio.run(_run(asked.parts or list(PARTS), Effort(asked.rounds, asked.moves, asked.sizes), asked.json))


async def _run(names: list[str], effort: Effort, path: Path) -> None:
    figures: dict[str, Any] = {"about": machine()}
    for key, value in machine().items():
        print(f"{key}: {value}")
    print(flush=True)
    for name in names:
        figures[name] = await PARTS[name](effort)
        write_json(path, figures)


if __name__ == "__main__":
    main()
