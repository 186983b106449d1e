"""Makes the matches that were intended: once each, whoever does it and however often it is begun."""

import asyncio
import random

import structlog
from argosy.v1 import entry_pb2

from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.log.entries import BrokenHistory, Unavailable
from services.match.creation import Wish
from services.match.matches import Matches
from services.match.recording import Request
from services.match.seating import Taken
from services.match.table import Phase, Table
from services.matchmaking.claims import Claims
from services.matchmaking.effects import Effects, Heard, Turn
from services.matchmaking.intents import Intent

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
_HOPELESS = (
    Reason.ERROR_REASON_BAD_SETTINGS,
    Reason.ERROR_REASON_INVALID_REQUEST,
    Reason.ERROR_REASON_NOT_FOUND,
    Reason.ERROR_REASON_TOO_LARGE,
)
_log = structlog.get_logger()


def match_of(intent: Intent) -> bytes:
    """The id that the match of these tickets has, known before it exists."""
    return ids.match_id(ids.ZERO, intent.request_id)


class Maker:
    """Brings intended matches into being."""

    def __init__(self, matches: Matches, effects: Effects, build: str) -> None:
        self._matches, self._effects, self._build = matches, effects, build

    async def finish(self, claims: Claims, match: bytes, intent: Intent) -> None:
        """Makes the match, again until it exists or cannot, and tells its tickets."""
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return await self._finish(claims, match, intent)
            except (Refused, Unavailable) as failure:
                reason = failure.name if isinstance(failure, Refused) else "UNAVAILABLE"
                _log.warning("match_not_made_yet", match=ids.to_text(match), code=reason)
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - only spreads retries
            pause = min(_LONGEST_PAUSE_S, pause * 2)

    async def make(self, match: bytes, intent: Intent) -> bool:
        """Records the match; true, also when somebody else has. Refuses what no match can be made of."""
        try:
            await self._matches.create(self._wish(intent), Request(), intent.request_id)
        except Refused as refused:
            # The platform's requests have no ids in the history: this is what a creation that came second hears.
            if refused.reason != Reason.ERROR_REASON_REQUEST_ID_REUSED:
                raise
        else:
            people = [seated.ticket for seated in intent.seated]
            _log.info("match_made", match=ids.to_text(match), game=intent.game, tickets=people, bots=intent.bots)
        return True

    async def phase(self, match: bytes) -> Turn | None:
        """What is to be heard of a match now; None while it waits for its players, or is not there."""
        table = await self._found(match)
        if table is None:
            return Turn.STARTED if await self._matches.tables.log.gone(match) else None
        if table.phase is Phase.OPEN:
            return None
        return Turn.CLOSED if table.phase is Phase.ABORTED and not table.seats else Turn.STARTED

    async def _finish(self, claims: Claims, match: bytes, intent: Intent) -> None:
        try:
            is_there = await self._exists(match) or await self.make(match, intent)
        except Refused as refused:
            if refused.reason not in _HOPELESS:
                raise
            _log.warning("match_not_possible", match=ids.to_text(match), code=refused.name)
            is_there = False
        if not is_there:
            await self._effects.store(intent.game, Heard(match, Turn.CLOSED, intent=intent))
            return
        await claims.settle(match, intent)
        # The start may have been heard of before the tickets were settled, when making the match took two holders.
        if (turn := await self.phase(match)) is not None:
            await self._effects.store(intent.game, Heard(match, turn, intent=intent))

    async def _exists(self, match: bytes) -> bool:
        return await self._found(match) is not None or await self._matches.tables.log.gone(match) is not None

    async def _found(self, match: bytes) -> Table | None:
        """The table as the history stands now; None where there is none in the log."""
        try:
            return await self._matches.tables.fresh(match)
        except Refused as refused:
            if refused.reason != Reason.ERROR_REASON_NOT_FOUND:
                raise
            return None
        except BrokenHistory:
            raise Refused(Reason.ERROR_REASON_MATCH_FROZEN, "the history is broken") from None

    def _wish(self, intent: Intent) -> Wish:
        taken = [Taken(seat=n, player=ids.from_text(s.player)) for n, s in enumerate(intent.seated)]
        first = len(taken)
        taken += [Taken(seat=first + n, player=ids.ZERO, bot_policy=intent.policy) for n in range(intent.bots)]
        return Wish(
            game=self._matches.tables.directory.game(intent.game),
            creator=ids.ZERO,
            settings=intent.settings,
            options=entry_pb2.MatchOptions.FromString(intent.options),
            taken=taken,
            build=self._build,
            tickets={ids.from_text(seated.player): seated.ticket for seated in intent.seated},
        )
