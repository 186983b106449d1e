"""Makes the matches of one game while this process holds the game's lease."""

import asyncio
import contextlib
import time

import structlog
from argosy.v1 import entry_pb2
from argosy.v1 import matchmaking_service_pb2 as pb

from services.kit.log import ids
from services.kit.log.entries import StorageLow, Unavailable
from services.matchmaking import pairing
from services.matchmaking.attention import Attention
from services.matchmaking.claims import MOST_SEEN, Claims, LeaseLost
from services.matchmaking.intents import Intent, Seated
from services.matchmaking.making import Maker, match_of
from services.matchmaking.pairing import Group, Waiting
from services.matchmaking.queues import Queues

_LONGEST_S, _SOON_MS = 1.0, 50
_log = structlog.get_logger()


class Holder:
    """One process's part in the matches of one game: it waits for the lease, and serves while it has it."""

    def __init__(self, queues: Queues, claims: Claims, maker: Maker, lease_s: float, gather_s: float) -> None:
        self._queues, self._claims, self._maker = queues, claims, maker
        self._lease_ms, self._gather_ms = int(lease_s * 1000), int(gather_s * 1000)
        self._attention = Attention(claims)
        self._woken = asyncio.Event()
        self._making: dict[bytes, asyncio.Task[None]] = {}
        self._is_holder = False

    async def run(self, draining: asyncio.Event) -> None:
        """A task of the process: holds the lease whenever it can, until the process drains."""
        async with asyncio.TaskGroup() as group:
            with self._queues.hear(self._claims.place, lambda _: self._woken.set()):
                pause = 0.0
                while not await _waited(draining, self._woken, pause):
                    self._woken.clear()
                    pause = await self._turn(group)
            await self._leave()

    async def _turn(self, group: asyncio.TaskGroup) -> float:
        """Does what can be done now; for how many seconds nothing more can be, unless news comes."""
        try:
            held = await self._claims.hold(self._lease_ms)
            self._note(held)
            if held:
                return await self._serve(group)
            pause = self._lease_ms / 3000
        except LeaseLost:
            self._note(False)
            pause = _LONGEST_S
        except (Unavailable, StorageLow) as error:
            _log.warning("queues_not_served", game=self._claims.place.game, type=type(error).__qualname__)
            pause = _LONGEST_S
        self._attention.forget()
        return pause

    async def _serve(self, group: asyncio.TaskGroup) -> float:
        now = int(time.time() * 1000)
        await self._claims.expire(now)
        for name, queue in (await self._attention.queues(now)).items():
            self._attention.again(name, await self._look_at(name, queue, now))
        for match, intent in (await self._claims.intended()).items():
            self._make(group, match, intent)
        longest = min(int(_LONGEST_S * 1000), self._lease_ms // 3)
        return max(0.005, (self._attention.next_ms(now + longest) - now) / 1000)

    async def _look_at(self, name: str, queue: list[Waiting], now: int) -> int | None:
        """Claims whoever can be seated together; when to look again though nobody comes.

        That is soon where somebody has left meanwhile. Where others may stand behind those who were seen it is at once,
        or when those in front, whose time is over then, may have gone.
        """
        claimed = [await self._claim(name, found) for found in pairing.groups(queue, now, self._gather_ms)]
        if not all(claimed):
            return now + _SOON_MS
        if len(queue) == MOST_SEEN:
            return now if claimed else now + int(_LONGEST_S * 1000)
        return pairing.next_due_ms(queue, now, self._gather_ms)

    async def _claim(self, queue: str, found: Group) -> bool:
        intent = await intent_of(self._claims, queue, found)
        return await self._claims.claim(match_of(intent), intent)

    def _make(self, group: asyncio.TaskGroup, match: bytes, intent: Intent) -> None:
        """Makes a match in the background, one task for each."""
        if match not in self._making:
            task = self._making[match] = group.create_task(self._maker.finish(self._claims, match, intent))
            task.add_done_callback(lambda _: self._making.pop(match, None))

    def _note(self, held: bool) -> None:
        if held != self._is_holder:
            self._is_holder = held
            _log.info("lease_taken" if held else "lease_lost", game=self._claims.place.game)

    async def _leave(self) -> None:
        """Lets go: matches that are being made are finished by whoever comes next."""
        for task in tuple(self._making.values()):
            task.cancel()
        with contextlib.suppress(Unavailable, StorageLow):
            await self._claims.release()


async def intent_of(claims: Claims, queue: str, found: Group) -> Intent:
    """The match of these people, all of whom wish for the same."""
    wish, options = pb.Ticket.FromString(await claims.wish(found.people[0].ticket)), entry_pb2.MatchOptions()
    options.CopyFrom(wish.options)
    options.min_seats = options.max_seats = len(found.people) + found.bots
    return Intent(
        game=claims.place.game,
        queue=queue,
        settings=wish.settings.value,
        options=options.SerializeToString(deterministic=True),
        request_id=ids.tickets_request_id(ids.from_text(waiting.ticket) for waiting in found.people),
        seated=[Seated(waiting.ticket, waiting.player) for waiting in found.people],
        bots=found.bots,
        policy=found.people[0].policy if found.bots else "",
    )


async def _waited(draining: asyncio.Event, woken: asyncio.Event, seconds: float) -> bool:
    """Waits until woken, for so many seconds at most; whether the process drains."""
    ends = asyncio.ensure_future(draining.wait()), asyncio.ensure_future(woken.wait())
    try:
        await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
    return draining.is_set()
