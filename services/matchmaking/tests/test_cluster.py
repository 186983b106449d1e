"""Tickets on a cluster: the keys of a game are on one server, those of games on several."""

import asyncio

from services.kit.log.log import open_log
from services.kit.log.news import Following
from services.kit.log.servers import RedisSettings
from services.matchmaking import library
from services.matchmaking.claims import Claims
from services.matchmaking.effects import Effects, Heard, Turn
from services.matchmaking.places import place_of
from services.matchmaking.queues import Queues, State
from services.matchmaking.tests.conftest import KEPT_MS, background
from services.matchmaking.tests.tickets import claim_all, new_game, new_ticket
from tests import clusters


async def test_tickets_of_many_games() -> None:
    with clusters.running(2) as nodes:
        async with open_log(RedisSettings(redis_url=nodes[0].url)) as log, background() as spawn:
            await library.load(log.servers)
            queues = Queues(log.servers, Following(log.servers, spawn, 10.0), KEPT_MS)
            games = {log.servers.of(place_of(game).partition).address: game for game in (new_game() for _ in range(99))}
            assert len(games) == 2
            await asyncio.gather(*(live_through(queues, game) for game in games.values()))


async def live_through(queues: Queues, game: str) -> None:
    """A ticket that expires, one that is taken back, one that is matched and closed."""
    claims, told = Claims(queues, game, "holder"), asyncio.Queue[int | None]()
    assert await claims.hold(60_000)
    expiring, taken_back, seated = new_ticket(game, lifetime_ms=1), new_ticket(game), new_ticket(game)
    for ticket in (expiring, taken_back, seated):
        assert await queues.create(ticket) == ("OK", ticket.id)
    await asyncio.sleep(0.01)
    await claims.expire(2**50)
    stored = await queues.read(taken_back.id)
    assert stored is not None
    assert await queues.cancel(stored)
    with queues.follow(seated.id, told.put_nowait):
        assert await asyncio.wait_for(told.get(), 60) is None
        claimed = await claim_all(claims)
        assert claimed is not None
        await claims.settle(*claimed)
        assert await asyncio.wait_for(told.get(), 60) == 1
    await Effects(queues).store(game, Heard(claimed[0], Turn.CLOSED, intent=claimed[1], position="1-1"))
    assert await Effects(queues).positions([game]) == {claimed[0][0]: "1-1"}
    states = [found.state if (found := await queues.read(t.id)) else None for t in (expiring, taken_back, seated)]
    assert states == [State.EXPIRED, State.CANCELLED, State.CLOSED]
    assert await claims.waiting() == {}
    await claims.release()
