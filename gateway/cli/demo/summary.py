"""The demo's last words: a table of what was played and checked, and the first difference if there is one."""

import json
from collections import Counter
from typing import Any

from rich.console import Console
from rich.table import Table

from gateway.cli.demo.checking import Findings
from gateway.cli.demo.progress import Board, percentile


def summarize(board: Board, findings: Findings) -> dict[str, Any]:
    """Everything of the table as plain values."""
    games = {
        game: {
            "matches": sum(m.game == game for m in board.matches),
            "entries": sum(board.entries.get(m.name, 0) for m in board.matches if m.game == game),
            "ends": dict(Counter(board.ends[m.name] for m in board.matches if m.game == game and m.name in board.ends)),
        }
        for game in sorted({m.game for m in board.matches})
    }
    return {
        "is_well": not findings.differences,
        "matches": len(board.matches),
        "seats": sum(len(m.players) for m in board.matches),
        "moves": board.moves,
        "seconds": round(board.seconds, 2),
        "moves_per_second": round(board.moves / max(board.seconds, 0.001), 1),
        "latency_ms": {"p50": round(percentile(board.latencies_ms, 50), 2), "p99": _p99(board)},
        "games": games,
        "archived": findings.archived,
        "histories_audited": findings.histories,
        "entries_audited": findings.entries,
        "replays_equal": findings.replays,
        "differences": findings.differences,
    }


def write(summary: dict[str, Any], console: Console, *, as_json: bool) -> None:
    """Writes it as a table, or as JSON."""
    if as_json:
        console.file.write(json.dumps(summary, indent=2) + "\n")
        return
    table = Table("game", "matches", "entries", "how they ended", box=None, pad_edge=False)
    for game, told in summary["games"].items():
        ends = ", ".join(f"{reason} {n}" for reason, n in sorted(told["ends"].items()))
        table.add_row(game, str(told["matches"]), str(told["entries"]), ends)
    console.print(table)
    latency = summary["latency_ms"]
    lines = (
        f"{summary['moves']} moves in {summary['seconds']} s: {summary['moves_per_second']} moves/s",
        f"Answers to a move: p50 {latency['p50']} ms, p99 {latency['p99']} ms",
        f"{summary['histories_audited']} of {summary['matches']} histories: chain whole, decided and folded again",
        f"{summary['archived']} of {summary['matches']} matches: listed, and archived to the byte",
        f"{summary['replays_equal']} of {summary['seats']} seats: the replay is what the bot received, byte for byte",
        f"DIFFERENCE: {summary['differences'][0]}" if summary["differences"] else "All is well.",
    )
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def _p99(board: Board) -> float:
    return round(percentile(board.latencies_ms, 99), 2)
