"""Examines a rules service.

    python -m services.rules.conform HOST:PORT [--json] [--game NAME] [--matches N] [--seed N]

Exit code 0 when every law holds for every game, 1 when one does not, 2 when the service cannot be reached. With --json
one object: of each game which laws held, how often they were tried and what was wrong.
"""

import argparse
import asyncio
import json
import sys

import grpc

from services.rules.conform.examination import Effort, conform


def main() -> int:
    """Runs what the arguments ask for; the exit code."""
    asked = _parse(sys.argv[1:])
    effort = Effort(matches=asked.matches, seed=asked.seed)
    try:
        report = asyncio.run(conform(asked.address, games=asked.game or (), effort=effort))
    except grpc.aio.AioRpcError as error:
        sys.stderr.write(f"no rules service answers at {asked.address}: {error.code().name}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    told = json.dumps(report.to_json()) if asked.json else "\n".join(report.lines())
    sys.stdout.write(told + "\n")
    return int(not report.is_ok)


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="services.rules.conform", description="Examines a rules service.")
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    parser.add_argument("--game", action="append", metavar="NAME", help="only this game; repeatable")
    parser.add_argument("--matches", type=int, default=1, metavar="N", help="matches of each sample")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed tries other matches")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
