"""Setting a match aside whose history cannot be read on: the others go on, and an operator is told."""

import structlog

from services.kit.log.entries import BrokenHistory
from services.kit.parts import BadEntry
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.summary import Summary

_log = structlog.get_logger()


async def set_aside(library: Library, histories: Histories, summary: Summary, error: Exception) -> None:
    """Keeps the match out of reading until the library is made anew; the summary is as far as it could be folded.

    Where the history itself is at fault, the match is frozen for everybody.
    """
    version = error.version if isinstance(error, BrokenHistory) else summary.version + 1
    _log.error("match_quarantined", match=summary.text, version=version, type=type(error).__qualname__)
    if isinstance(error, BadEntry | BrokenHistory):
        await histories.log.freeze(summary.match, version)
    await library.quarantine(summary.match, version, type(error).__qualname__)
    summary.is_quarantined = True
