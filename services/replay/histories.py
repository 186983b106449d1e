"""Reads histories from wherever they are now: the log, or the archive once they have left it."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from services.kit import parts
from services.kit.errors import Reason, Refused, not_found
from services.kit.log import ids
from services.kit.log.entries import PAGE, BrokenHistory, Entry, Unavailable
from services.kit.log.log import EventLog
from services.kit.parts import BadEntry
from services.match.histories import frozen_match
from services.replay.archive import Archive, DamagedFile, seed_of
from services.replay.rulings.files import is_disclosed
from services.replay.summary import Options, Summary, fold

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Story:
    """A history with what it says of the match. `seed` opens it: give nothing away that a viewer may not have."""

    summary: Summary
    entries: Sequence[Entry]
    seed: bytes


@dataclass(frozen=True, slots=True)
class Histories:
    """Log and archive as one."""

    log: EventLog
    archive: Archive

    async def read(self, match: bytes) -> list[Entry]:
        """All entries; none for a match that never was. Raises Unavailable, BrokenHistory, DamagedFile."""
        entries = await self.read_log(match)
        if not entries:
            entries = await self.archive.read(match) or []
        return entries

    async def read_log(self, match: bytes, after_version: int = 0) -> list[Entry]:
        """All entries after a version that are in the log."""
        entries = list[Entry]()
        while True:
            page = await self.log.read(match, after_version + len(entries), PAGE)
            entries += page
            if len(page) < PAGE:
                return entries

    async def story(self, match: bytes, *, as_far_as_sound: bool = False) -> Story:
        """The history for a viewer. Refuses NOT_FOUND, MATCH_FROZEN for what does not fit together.

        With `as_far_as_sound` a broken history in the log is given up to the first entry that does not fit.
        """
        try:
            entries = await self.read(match)
            summary = Summary(match)
            for entry in entries:
                fold(summary, entry)
            seed = seed_of(entries) if entries else b""
            if summary.is_over and summary.options.disclosure == Options.DISCLOSURE_BY_HOST:
                summary.is_disclosed = await is_disclosed(self.archive, match)
        except Unavailable:
            text = "the history cannot be reached"
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None
        except (BrokenHistory, DamagedFile, BadEntry) as error:
            _log.error("history_broken", match=ids.to_text(match), type=type(error).__qualname__)
            sound = await self._sound(match) if as_far_as_sound else None
            if sound is None:
                raise frozen_match(ids.to_text(match)) from None
            return sound
        if not entries:
            raise not_found(f"matches/{ids.to_text(match)}")
        return Story(summary, entries, seed)

    async def _sound(self, match: bytes) -> Story | None:
        """The entries before the first that does not fit; None where there are none. Entry by entry: it is rare."""
        entries, summary = list[Entry](), Summary(match)
        try:
            while page := await self.log.read(match, len(entries), 1):
                parts.server_part(parts.opened(page[0].version, page[0].digest, page[0].body))
                fold(summary, page[0])
                entries += page
        except (BrokenHistory, BadEntry):
            pass  # that is where it ends
        except Unavailable:
            return None
        return Story(summary, entries, seed_of(entries)) if entries else None
