"""After the play: every history is audited, and every seat's bytes are compared with its replay."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from argosy.client import Account, ArgosyError, Client, Transcript
from argosy.client.ids import raw_id

from gateway.archive import open_archive
from gateway.cli.demo.progress import Board
from gateway.cli.demo.seating import Seated
from services.kit.errors import Refused
from services.kit.log.entries import BrokenHistory, Entry
from services.kit.log.log import EventLog
from services.match.audit import audit
from services.match.games import GameEntry
from services.match.histories import Archive
from services.match.rules import RulesDirectory

T = TypeVar("T")
_AT_ONCE = 8


@dataclass
class Findings:
    """What was checked, and what was found wrong, the first first."""

    histories: int = 0
    entries: int = 0
    replays: int = 0
    archived: int = 0
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        wrong = f", {len(self.differences)} differences" if self.differences else ""
        return f"histories {self.histories:4d}  entries {self.entries:6d}  replays {self.replays:4d}{wrong}"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where histories are read: the log, and the archive of those that have left it."""

    log: EventLog
    archive: Archive


@asynccontextmanager
async def open_sources(log: EventLog, replay: str) -> AsyncIterator[Sources]:
    """The log, and the archive behind the address of replay."""
    async with open_archive(replay) as archive:
        assert archive is not None  # since there is an address
        yield Sources(log, archive)


async def check_all(
    client: Client, sources: Sources, rules: Mapping[str, str], board: Board, findings: Findings
) -> Findings:
    """Checks whatever ended; what did not end, and whoever could not go on, is a difference too."""
    findings.differences += [f"{m} seat {s}: {problem}" for (m, s), problem in sorted(board.failed.items())]
    told = {m for m, _ in board.failed}
    findings.differences += [
        f"{m.name} seat {s} has not seen the end"
        for m in board.matches
        for s in range(len(m.players))
        if (m.name, s) not in board.digests and m.name not in told
    ]
    async with _directory(rules) as directory:
        await _each(board.matches, lambda match: _audit(sources, directory.game(match.game), match, findings))
    seats = [(match, seat) for match in board.matches for seat in range(len(match.players))]
    async with AsyncExitStack() as stack:
        callers = await _callers(client, stack, {a.player: a for m in board.matches for a in m.players})
        await _each(seats, lambda s: _replay(callers[s[0].players[s[1]].player], *s, board, findings))
    return findings


async def _audit(sources: Sources, game: GameEntry, match: Seated, findings: Findings) -> None:
    """Audits the history in the log, which the archive must have to the byte; the archive's where it has left."""
    id_ = raw_id(match.name)
    try:
        kept, archived = await _read(sources.log, id_), list(await sources.archive(id_))
        result = await audit(id_, kept or archived, game)
    except BrokenHistory as broken:
        findings.differences.append(str(broken))
        return
    except Refused as refused:
        findings.differences.append(f"{match.name}: {refused}")
        return
    if result.problem is not None:
        findings.differences.append(f"{match.name} {result.problem}")
        return
    if kept and archived and kept != archived:
        findings.differences.append(f"{match.name}: the archive holds another history than the log")
        return
    findings.histories += 1
    findings.archived += bool(archived)
    findings.entries += len(kept or archived)


async def _read(log: EventLog, match: bytes) -> list[Entry]:
    """All entries. Raises BrokenHistory."""
    found: list[Entry] = []
    while page := await log.read(match, len(found)):
        found += page
    return found


async def _replay(caller: Client, match: Seated, seat: int, board: Board, findings: Findings) -> None:
    """Reads the replay as the seat sees it: what the bot received must be in it, entry by entry."""
    played = board.digests.get((match.name, seat))
    if played is None:
        return
    transcript = Transcript()
    try:
        async for entry in caller.replay(match.name, seat=seat):
            transcript.add(entry)
    except ArgosyError as error:
        findings.differences.append(f"{match.name} seat {seat} has no replay: {error}")
        return
    if transcript.digest != played:
        findings.differences.append(f"{match.name} seat {seat}: the replay is not what the bot received")
        return
    findings.replays += 1


async def _callers(client: Client, stack: AsyncExitStack, accounts: Mapping[str, Account]) -> dict[str, Client]:
    return {n: await stack.enter_async_context(client.as_player(account)) for n, account in accounts.items()}


@asynccontextmanager
async def _directory(rules: Mapping[str, str]) -> AsyncIterator[RulesDirectory]:
    directory = RulesDirectory(rules)
    try:
        await directory.refresh()
        yield directory
    finally:
        await directory.close()


async def _each(items: Sequence[T], check: Callable[[T], Awaitable[None]]) -> None:
    """Checks all items, a few at once."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(item: T) -> None:
        async with slots:
            await check(item)

    async with asyncio.TaskGroup() as group:
        for item in items:
            group.create_task(one(item))
