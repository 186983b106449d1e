"""Plays matches by bots.

    python -m services.rules.bots GAME [-n N] [--policy random|sensible] [--server HOST:PORT] [--json]
    python -m services.rules.bots work --server HOST:PORT        seats as JSON lines, see worker.py

The API key, if any, is read from ARGOSY_KEY. With --json one object at the end tells how all matches ended. Exit
code 0 when every match was played to its end, 1 when not, 2 when the platform cannot be reached or the game is unknown.
"""

import argparse
import asyncio
import json
import os
import sys
from typing import Any

import grpc
from argosy.client import ArgosyError

from services.rules.bots.choosing import POLICIES
from services.rules.bots.table import seat_bots
from services.rules.bots.worker import read_seats, work, write_line


def main() -> int:
    """Plays what the arguments ask for; the exit code."""
    asked = _parse(sys.argv[1:])
    try:
        if asked.game == "work":
            return int(asyncio.run(work(asked.server, read_seats(sys.stdin), write_line)) > 0)
        return asyncio.run(_play(asked, os.environ.get("ARGOSY_KEY", "")))
    except ArgosyError as error:
        silent = error.name == "UNSPECIFIED" and error.status is grpc.StatusCode.UNAVAILABLE
        sys.stderr.write(f"{f'no platform answers at {asked.server}' if silent else error}\n")
        return 2
    except KeyboardInterrupt:
        return 130


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="services.rules.bots", description="Plays matches by bots.")
    parser.add_argument("game", help="a game's id; or work: seats come as JSON lines")
    parser.add_argument("-n", "--number", type=int, default=1, help="matches, all at once")
    parser.add_argument("--policy", choices=POLICIES, default="sensible")
    parser.add_argument("--server", default="127.0.0.1:7600")
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    return parser.parse_args(words)


async def _play(asked: argparse.Namespace, key: str) -> int:
    seats = await seat_bots(asked.server, key, asked.game, asked.number, asked.policy)
    ended: list[dict[str, Any]] = []
    moves = 0

    def tell(told: dict[str, Any]) -> None:
        nonlocal moves
        moves += told["moves"] if "latencies_ms" in told else 0
        if "problem" in told:
            sys.stderr.write(f"{told['match']} seat {told['seat']}: {told['problem']}\n")
        elif told.get("seat") == 0:
            ended.append({name: told[name] for name in ("match", "reason", "scores")})
            if not asked.json:
                scores = " ".join(f"{score:g}" for score in told["scores"])
                _write(f"{told['match']}  {told['reason']}  {scores}")

    failed = await work(asked.server, seats, tell)
    if asked.json:
        result = {"asked": asked.number, "ended": len(ended), "moves": moves, "matches": ended}
        _write(json.dumps(result, indent=2))
    else:
        _write(f"{len(ended)} of {asked.number} matches ended after {moves} moves")
    return int(failed > 0)


def _write(line: str) -> None:
    """Writes the line; where nobody reads any more the matches are played to their end all the same."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
