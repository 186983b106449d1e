"""Waits until replay has listed and archived every match of the demo, and compares its lists with what was played."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from argosy.client import Client
from argosy.v1.match_service_pb2 import Match
from argosy.v1.replay_service_pb2 import MatchSummary

from gateway.cli.demo.progress import Board
from gateway.cli.demo.seating import Seated

PATIENCE_S: Final = 60.0
"""So long without one more in the archive, and the demo goes on to say which are missing."""
_POLL_S: Final = 0.5


@dataclass
class Shelves:
    """What replay lists, by match: of those that ended in ListReplays, of all in ListMatches."""

    wanted: int
    ended: dict[str, MatchSummary] = field(default_factory=dict)
    listed: dict[str, MatchSummary] = field(default_factory=dict)

    @property
    def archived(self) -> int:
        """How many are safe in the archive."""
        return sum(summary.archived for summary in self.ended.values())

    def __str__(self) -> str:
        return f"archived {self.archived:4d} of {self.wanted}"


async def wait_archived(host: Client, shelves: Shelves) -> None:
    """Asks until as many are archived as are wanted, or none has been added for a while; then lists all once."""
    clock = asyncio.get_running_loop().time
    before, since = -1, clock()
    while shelves.archived < shelves.wanted and clock() - since < PATIENCE_S:
        shelves.ended = {summary.name: summary async for summary in host.replays()}
        if shelves.archived != before:
            before, since = shelves.archived, clock()
        if before < shelves.wanted:
            await asyncio.sleep(_POLL_S)
    shelves.listed = {summary.name: summary async for summary in host.matches(states=[Match.STATE_ENDED])}


def compare(board: Board, shelves: Shelves) -> list[str]:
    """Everything in which the lists are not what was played; of matches that ended."""
    ended = [match for match in board.matches if match.name in board.ends]
    return [problem for match in ended for problem in _problems(board, shelves, match)]


def _problems(board: Board, shelves: Shelves, match: Seated) -> Sequence[str]:
    found, listed = shelves.ended.get(match.name), shelves.listed.get(match.name)
    if found is None or listed is None:
        return [f"{match.name} has ended and is not in the list of {'replays' if found is None else 'matches'}"]
    played = (board.entries[match.name], board.ends[match.name], tuple(a.player for a in match.players))
    told = (found.head.version, found.end.reason, tuple(seat.player for seat in found.seats))
    problems = [] if found.archived else [f"{match.name} has ended and is not archived"]
    problems += [f"{match.name} is listed twice, differently"] if found.head != listed.head else []
    return problems + ([f"{match.name} is listed as {told}, played was {played}"] if told != played else [])
