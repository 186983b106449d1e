"""One seat played to the end of its match."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from argosy.client import ArgosyError, Client, Following, Transcript, Update

from services.rules.bots.choosing import Choose

_OVERTAKEN = ("STALE_VERSION", "MATCH_ENDED")
Moved = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Played:
    """A seat that saw its match end. `digest` is that of the transcript; `reason` and `scores` are the end's."""

    entries: int
    moves: int
    digest: str
    reason: str
    scores: tuple[float, ...]


class Bot:
    """Plays one seat. `moved` is told, after each accepted action, how many milliseconds its answer took.

    With `from_start` false it begins where the match stands, and its transcript with what comes then.
    """

    def __init__(
        self,
        client: Client,
        match: str,
        seat: int,
        choose: Choose,
        moved: Moved,
        *,
        from_start: bool = True,
        pace_s: float = 0.0,
    ) -> None:
        self._client, self._match, self._seat, self._choose, self._moved = client, match, seat, choose, moved
        self._from_start, self._pace_s = from_start, pace_s
        self._moves = 0

    async def play(self) -> Played:
        """Plays whenever the seat owes a decision, until the match ends. Raises ArgosyError when it cannot go on."""
        transcript, last = Transcript(), None
        following = self._client.follow(
            self._match, seat=self._seat, position=True, actions=True, from_start=self._from_start
        )
        async with following as table:
            async for update in table:
                last = update
                if update.entry is not None:
                    transcript.add(update.entry)
                if update is table.last and update.status is not None and self._seat in update.status.turn:
                    await self._act(table, update)
        end = last.end if last is not None else None
        if end is None:
            raise ArgosyError(f"{self._match} ended without an end")
        return Played(transcript.entries, self._moves, transcript.digest, end.reason, tuple(end.scores))

    async def _act(self, table: Following, update: Update) -> None:
        legal = update.actions or ()
        if update.actions_truncated or not legal:
            legal = tuple(await self._client.list_actions(self._match, self._seat))
        if not legal or table.last is not update:
            return
        if self._pace_s:
            await asyncio.sleep(self._pace_s)
        chosen = self._choose(update, self._seat, legal)
        begun = time.perf_counter()
        try:
            await table.play(chosen.action, at=update)
        except ArgosyError as error:
            if error.name not in _OVERTAKEN:
                raise
            return  # another seat was faster; the next update says how it stands
        self._moved((time.perf_counter() - begun) * 1000)
        self._moves += 1
