"""What the lease holder of a game does to its queues: claim, settle, expire."""

import asyncio
from typing import Any

from services.kit.log import ids
from services.kit.log.asking import ask, ask_apart
from services.matchmaking import intents, library, pairing
from services.matchmaking.intents import Intent
from services.matchmaking.pairing import Waiting
from services.matchmaking.places import Place, place_of
from services.matchmaking.queues import Queues

MOST_SEEN = 512
"""Of a queue that many, from the front, are looked at for one match."""


class LeaseLost(Exception):
    """Another process makes the matches of this game now."""


class Claims:
    """The queues of one game, as one process may change them while it holds the lease."""

    def __init__(self, queues: Queues, game: str, holder: str) -> None:
        self.place: Place = place_of(game)
        self._queues, self._holder = queues, holder
        self._fence, self._prolong_at = 0, 0.0

    async def hold(self, lease_ms: int) -> bool:
        """Takes the lease, or prolongs it when a third has passed; false while another process has it."""
        now = asyncio.get_running_loop().time()
        if not self._fence or now >= self._prolong_at:
            keys = (self.place.lease, self.place.fence)
            self._fence = int(await self._call(library.LEASE, keys, self._holder, lease_ms))
            self._prolong_at = now + lease_ms / 3000
        return self._fence > 0

    async def release(self) -> None:
        """Gives the lease back, if it is ours."""
        await self._call(library.RELEASE, (self.place.lease,), self._holder)

    async def waiting(self) -> dict[str, list[Waiting]]:
        """Who waits in which queue, in order of arrival."""
        asked = ("FCALL", library.SEEN, 1, self.place.queues, self.place.queue(""), MOST_SEEN)
        found = await ask_apart(self._queues.servers, self.place.partition, *asked)
        named = dict(zip(found[::2], found[1::2], strict=True))
        return {name.decode(): [pairing.parse(m.decode()) for m in named[name]] for name in sorted(named)}

    async def last_arrival(self) -> int:
        """The number of the last ticket that waits, or waited; 0 where nobody does."""
        found = await self._ask("ZREVRANGE", self.place.changed, 0, 0, "WITHSCORES")
        return int(found[1]) if found else 0

    async def changed(self, arrival: int) -> dict[str, int]:
        """The queues into which tickets have come after this one, and the number of the last of each."""
        found = await self._ask("ZRANGEBYSCORE", self.place.changed, f"({arrival}", "+inf", "WITHSCORES")
        return {name.decode(): int(last) for name, last in zip(found[::2], found[1::2], strict=True)}

    async def in_queue(self, name: str) -> list[Waiting]:
        """Who waits in this queue, in order of arrival."""
        members = await self._ask("ZRANGE", self.place.queue(name), 0, MOST_SEEN - 1)
        return [pairing.parse(member.decode()) for member in members]

    async def wish(self, ticket: str) -> bytes:
        """What a ticket that waits wishes for; b"" when it is gone."""
        return await self._ask("HGET", self.place.ticket(ticket), "w") or b""

    async def claim(self, match: bytes, intent: Intent) -> bool:
        """Claims all tickets of a match, or none when one of them has ended meanwhile. Raises LeaseLost."""
        place = self.place
        shared = (place.lease, place.fence, place.queue(intent.queue), place.queues, place.expiry, place.intents)
        keys = (*shared, *(place.ticket(seated.ticket) for seated in intent.seated))
        arguments = (self._holder, self._fence, match, intents.dump(intent), intent.queue)
        (code,) = await self._call(library.CLAIM, keys, *arguments)
        if code == b"LEASE_LOST":
            self._fence = 0
            raise LeaseLost(place.game)
        return bool(code == b"OK")

    async def intended(self) -> dict[bytes, Intent]:
        """Matches for which tickets are claimed and that were not settled."""
        stored = await self._ask("HGETALL", self.place.intents)
        return {match: intents.load(value) for match, value in zip(stored[::2], stored[1::2], strict=True)}

    async def settle(self, match: bytes, intent: Intent) -> None:
        """Says that the match exists. Idempotent."""
        keys = (self.place.intents, self.place.made, *(self.place.ticket(s.ticket) for s in intent.seated))
        await self._call(library.SETTLE, keys, match, intents.dump(intent))

    async def expire(self, now_ms: int) -> None:
        """Ends the tickets whose time has come, up to 256."""
        members = await self._ask("ZRANGEBYSCORE", self.place.expiry, "-inf", now_ms, "LIMIT", 0, 256)
        for name, member in (found.decode().split("|", 1) for found in members):
            gone, place = pairing.parse(member), self.place
            keys = (place.ticket(gone.ticket), place.queue(name), place.waiting(name), place.queues, place.expiry)
            about = (gone.ticket, name, ids.from_text(gone.player), member, self._queues.kept_ms)
            await self._call(library.EXPIRE, keys, *about)

    async def _call(self, function: str, keys: tuple[str, ...], *arguments: Any) -> Any:
        return await self._queues.call(self.place, function, keys, *arguments)

    async def _ask(self, *command: Any) -> Any:
        return await ask(self._queues.servers, self.place.partition, *command)
