"""Who may look at what here, and that it is kept who did (argosy.v1.Access)."""

from dataclasses import dataclass
from typing import Final

from services.kit.errors import Reason, Refused
from services.match.accesses import AUDITING, access_of
from services.match.book import Book
from services.match.viewers import Viewer
from services.replay.callers import Caller
from services.replay.histories import Story

_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Look:
    """One read. `by_scope`: the caller could not see this as a player or stranger."""

    method: str
    caller: Caller
    story: Story
    viewer: Viewer
    opened: bool = False
    by_scope: bool = False
    reason: str = ""


class Looks:
    """Notes looks in the process's book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    async def note(self, look: Look, first: int, last: int) -> None:
        """Notes that these versions were read: of a match that goes on, or by scope, or by who audits.

        What is privileged is on disk when this returns, else it is refused.
        """
        summary, caller = look.story.summary, look.caller
        is_privileged = look.by_scope or bool(AUDITING & caller.scopes)
        if summary.is_over and not is_privileged:
            return
        access = access_of(
            caller.player, caller.key, summary.match, look.method, versions=(first, last), seats=look.viewer.seats
        )
        access.live, access.privileged, access.opened = not summary.is_over, is_privileged, look.opened
        access.reason = _on_a_line(look.reason)
        await self._book.read(access)

    async def note_list(self, method: str, caller: Caller, match: bytes = b"") -> None:
        """Notes that a list was read, where a scope made it longer or the caller audits."""
        if caller.is_host or AUDITING & caller.scopes:
            access = access_of(caller.player, caller.key, match, method)
            access.privileged = True
            await self._book.read(access)


def _on_a_line(reason: str) -> str:
    """The reason without what would steer the terminal of a player who is told it."""
    return "".join(letter if letter.isprintable() else " " for letter in reason.strip()[:_LONGEST])


def require_reason(look: Look) -> None:
    """Refuses REASON_MISSING unless 1 to 200 characters say why."""
    if not 1 <= len(look.reason.strip()) <= _LONGEST:
        text = f"say in 1 to {_LONGEST} characters why you look"
        raise Refused(Reason.ERROR_REASON_REASON_MISSING, text, match=f"matches/{look.story.summary.text}")
