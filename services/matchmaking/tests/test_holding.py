"""The holder of a game's lease, on real servers."""

import asyncio

from services.matchmaking.claims import MOST_SEEN, Claims
from services.matchmaking.holding import Holder
from services.matchmaking.intents import Intent
from services.matchmaking.making import Maker
from services.matchmaking.queues import Queues
from services.matchmaking.tests.tickets import new_game, new_ticket


class Idle(Maker):
    """Makes no matches."""

    def __init__(self) -> None:
        self.intended = asyncio.Queue[Intent]()

    async def finish(self, claims: Claims, match: bytes, intent: Intent) -> None:
        """Settles a match that does not exist, and tells."""
        await claims.settle(match, intent)
        self.intended.put_nowait(intent)


async def test_who_stands_behind_many_whose_time_is_over_is_seated(queues: Queues) -> None:
    claims, draining = Claims(queues, new_game(), "holder"), asyncio.Event()
    over = [new_ticket(claims.place.game, lifetime_ms=1) for _ in range(2 * MOST_SEEN)]
    for ticket in over:
        await queues.create(ticket)
    people = [new_ticket(claims.place.game) for _ in range(2)]
    for ticket in people:
        await queues.create(ticket)
    async with asyncio.TaskGroup() as group:
        maker = Idle()
        group.create_task(Holder(queues, claims, maker, 6.0, 0.0).run(draining))
        intent = await maker.intended.get()
        draining.set()
    assert [seated.ticket for seated in intent.seated] == [ticket.id for ticket in people]
