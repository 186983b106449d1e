"""Runs the benchmark: `make bench`, or `python -m tests.bench [PART ...] [--quick] [--readme README.md]`.

Everything that a part needs is started by it, on free ports, and ended. The cost of a move is what the servers'
processes spent by the system's own accounting, divided by the moves made meanwhile; clients' apart. Figures go to
stdout, where the run stands to stderr. What was found is on disk at once: a run that is broken off leaves it.
"""

import argparse
import asyncio
import shlex
import sys
import traceback
from pathlib import Path

from tests.bench import aims, crowded, holdings, parts, profiling, proving, sizing, spread, surroundings
from tests.bench.effort import HELD, SIZES, Effort, Part
from tests.bench.progress import Progress
from tests.bench.report import Report
from tests.bench.tables import machine

PARTS: dict[str, Part] = {
    "moves": parts.measure_moves,
    "half": parts.measure_half_load,
    "gateways": spread.measure_gateways,
    "cold": parts.measure_cold,
    "ceilings": parts.measure_ceilings,
    "profile": profiling.measure_profile,
    "crowd": crowded.measure_crowd,
    "tickets": surroundings.measure_tickets,
    "replay": surroundings.measure_replay,
    "rules": surroundings.measure_rules,
    "proofs": proving.measure_proofs,
    "memory": holdings.measure_memory,
    "sizing": sizing.measure_sizing,
    "aims": aims.measure_aims,
}
_INTERRUPTED = 130


def main() -> None:
    """Reads the arguments and runs the parts; exits with 1 where one has failed."""
    asked = _asked()
    names = asked.parts or list(PARTS)
    command = shlex.join(["python", "-m", "tests.bench", *sys.argv[1:]])
    effort = _effort(asked, Report(machine(command), asked.json, asked.readme), Progress(len(names)))
    try:
        failed = asyncio.run(_run(names, effort))
    except KeyboardInterrupt:
        effort.report.note(f"Broken off during `{effort.progress.part}`.")
        effort.progress.say(f"broken off; what was found is in {asked.json} and {asked.readme or 'the output'}")
        sys.exit(_INTERRUPTED)
    effort.progress.say("the end")
    sys.exit(1 if failed else 0)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measures what moves cost.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all where none is named")
    parser.add_argument("--rounds", type=int, default=5, help="rounds whose medians count, 5")
    parser.add_argument("--moves", type=int, default=1000, help="moves of a round at 64 matches and more, 1000")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="matches at once, 1 16 64 256")
    parser.add_argument("--held", type=int, nargs="+", default=HELD, help="matches that lie still, 100 10000 100000")
    parser.add_argument("--waiting", type=int, default=10_000, help="tickets that wait, 10000")
    parser.add_argument("--quick", action="store_true", help="less of everything, for a first look")
    parser.add_argument("--json", type=Path, default=Path("bench.json"), help="where all figures go, bench.json")
    parser.add_argument("--readme", type=Path, help="a README into which the tables are written as well")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return asked


def _effort(asked: argparse.Namespace, report: Report, progress: Progress) -> Effort:
    if asked.quick:
        return Effort(report, progress, 2, 400, (1, 64), (100, 1_000, 4_000), 500, is_quick=True)
    return Effort(report, progress, asked.rounds, asked.moves, asked.sizes, asked.held, asked.waiting)


async def _run(names: list[str], effort: Effort) -> list[str]:
    """The parts that have failed: their tracebacks go to stderr, and the others are still measured."""
    report, failed = effort.report, list[str]()
    report.begin()
    for name in names:
        effort.progress.enter(name)
        try:
            report.keep(name, await PARTS[name](effort))
        except Exception:  # noqa: BLE001 - told, and in the exit code: the parts after it take an hour to come by again
            _raise_if_interrupted()
            traceback.print_exc()
            failed.append(name)
            report.note(f"`{name}` has failed.")
    return failed


def _raise_if_interrupted() -> None:
    """Ctrl-C reaches the servers too: what a part says then is that they are gone."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


if __name__ == "__main__":
    main()
