"""Runs the benchmark: `make bench`, or `python -m tests.bench [PART ...] [--quick] [--readme README.md]`.

Everything that a part needs is started by it, on free ports, and ended. The cost of a move is what the servers'
processes spent by the system's own accounting, divided by the moves made meanwhile; clients' apart.
"""

import argparse
import asyncio
import shlex
import sys
from pathlib import Path

from tests.bench import crowded, holdings, parts, proving, sizing, surroundings
from tests.bench.effort import SIZES, Effort, Part
from tests.bench.report import Report
from tests.bench.tables import machine

PARTS: dict[str, Part] = {
    "moves": parts.measure_moves,
    "half": parts.measure_half_load,
    "gateways": parts.measure_gateways,
    "cold": parts.measure_cold,
    "ceilings": parts.measure_ceilings,
    "crowd": crowded.measure_crowd,
    "tickets": surroundings.measure_tickets,
    "replay": surroundings.measure_replay,
    "rules": surroundings.measure_rules,
    "proofs": proving.measure_proofs,
    "memory": holdings.measure_memory,
    "sizing": sizing.measure_sizing,
}


def main() -> None:
    """Reads the arguments and runs the parts."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measures what moves cost.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all where none is named")
    parser.add_argument("--rounds", type=int, default=5, help="rounds whose medians count, 5")
    parser.add_argument("--moves", type=int, default=2000, help="moves of a round at 64 matches and more, 2000")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="matches at once")
    parser.add_argument("--held", type=int, nargs="+", default=(10_000, 100_000), help="matches held in memory")
    parser.add_argument("--waiting", type=int, default=10_000, help="tickets that wait, 10000")
    parser.add_argument("--quick", action="store_true", help="less of everything: below eight minutes")
    parser.add_argument("--json", type=Path, default=Path("bench.json"), help="where all figures go, bench.json")
    parser.add_argument("--readme", type=Path, help="a README into which the tables are written as well")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    command = shlex.join(["python", "-m", "tests.bench", *sys.argv[1:]])
    report = Report(machine(command), asked.json)
    asyncio.run(_run(asked.parts or list(PARTS), _effort(asked, report), asked.readme))


def _effort(asked: argparse.Namespace, report: Report) -> Effort:
    if asked.quick:
        return Effort(report, 2, 400, (1, 64), (1_000, 4_000), 500, is_quick=True)
    return Effort(report, asked.rounds, asked.moves, asked.sizes, asked.held, asked.waiting)


async def _run(names: list[str], effort: Effort, readme: Path | None) -> None:
    effort.report.begin()
    for name in names:
        effort.report.keep(name, await PARTS[name](effort))
        if readme:  # after each part: a long run that is broken off leaves what it had found
            effort.report.write_readme(readme)


if __name__ == "__main__":
    main()
