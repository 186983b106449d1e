"""Tickets on real servers, Valkey and Redis."""

import asyncio
import os
import random

import pytest

from services.kit.log.log import EventLog
from services.matchmaking import library
from services.matchmaking.claims import Claims, LeaseLost
from services.matchmaking.effects import Effects, Heard, Turn
from services.matchmaking.queues import Queues, State
from services.matchmaking.tests.tickets import claim_all, intent_of, new_game, new_ticket

RACES = 500  # on each of two kinds of server


@pytest.fixture
def game() -> str:
    return new_game()


@pytest.fixture
async def claims(queues: Queues, game: str) -> Claims:
    holder = Claims(queues, game, "holder")
    assert await holder.hold(60_000)
    return holder


async def keys_of(log: EventLog, game: str) -> set[str]:
    found = [key async for key in log.servers.all[0].client.scan_iter(match=f"*:{game}:*", count=1000)]
    return {key.decode().split(f":{game}:")[1] for key in found}


async def state(queues: Queues, ticket: str) -> State | None:
    found = await queues.read(ticket)
    return found.state if found else None


async def test_cancel_against_match_is_exact(queues: Queues, claims: Claims, game: str) -> None:
    chance, seen = random.Random(7), {"cancelled": 0, "seated": 0}
    for _ in range(RACES):
        mine, other = new_ticket(game), new_ticket(game)
        for ticket in (mine, other):
            await queues.create(ticket)
        stored = await queues.read(mine.id)
        assert stored is not None
        people = (await claims.waiting())["queue"]
        intent = intent_of(claims, "queue", people)
        racers = [claims.claim(os.urandom(16), intent), queues.cancel(stored)]
        chance.shuffle(racers)
        await asyncio.gather(*racers)
        was_cancelled = await queues.cancel(stored)
        now = await queues.read(mine.id)
        assert now is not None
        assert now.state is (State.CANCELLED if was_cancelled else State.CLAIMED)
        assert bool(now.match) is not was_cancelled
        seen["cancelled" if was_cancelled else "seated"] += 1
        rest = await queues.read(other.id)
        assert rest is not None
        assert rest.state is (State.WAITING if was_cancelled else State.CLAIMED)
        if was_cancelled:
            await queues.cancel(rest)
        for match, found in (await claims.intended()).items():
            await Effects(queues).store(game, Heard(match, Turn.CLOSED, intent=found))
    assert min(seen.values()) > RACES // 20, seen


async def test_creating_is_idempotent_and_one_waits_once(queues: Queues, game: str) -> None:
    first = new_ticket(game)
    assert await queues.create(first) == await queues.create(first) == ("OK", first.id)
    assert await queues.create(new_ticket(game, player=first.player)) == ("EXISTS", first.id)
    reused = new_ticket(game, player=first.player, id=first.id)
    assert await queues.create(reused) == ("REQUEST_ID_REUSED", first.id)
    assert (await queues.create(new_ticket(game, player=first.player, queue="another")))[0] == "OK"


async def test_a_claim_takes_all_tickets_or_none(queues: Queues, claims: Claims, game: str) -> None:
    tickets = [new_ticket(game) for _ in range(3)]
    for ticket in tickets:
        await queues.create(ticket)
    people = (await claims.waiting())["queue"]
    gone = await queues.read(tickets[1].id)
    assert gone is not None
    await queues.cancel(gone)
    assert not await claims.claim(os.urandom(16), intent_of(claims, "queue", people))
    assert [await state(queues, t.id) for t in tickets] == [State.WAITING, State.CANCELLED, State.WAITING]
    assert await claim_all(claims) is not None
    assert [await state(queues, t.id) for t in tickets] == [State.CLAIMED, State.CANCELLED, State.CLAIMED]
    assert await claims.waiting() == {}


async def test_a_holder_whose_lease_has_run_out_claims_nothing(queues: Queues, game: str) -> None:
    old, new = Claims(queues, game, "old"), Claims(queues, game, "new")
    assert await old.hold(200)
    assert not await new.hold(60_000)
    await queues.create(new_ticket(game))
    while not await new.hold(60_000):  # noqa: ASYNC110 - the server lets it run out
        await asyncio.sleep(0.02)
    with pytest.raises(LeaseLost):
        await claim_all(old)
    assert await claim_all(new) is not None
    await old.release()
    assert not await old.hold(60_000)


async def test_what_was_claimed_is_finished_under_the_same_id(queues: Queues, claims: Claims, game: str) -> None:
    ticket = new_ticket(game)
    await queues.create(ticket)
    claimed = await claim_all(claims)
    assert claimed is not None
    await claims.release()
    after = Claims(queues, game, "after")
    assert await after.hold(60_000)
    assert await after.intended() == {claimed[0]: claimed[1]}
    for _ in range(2):
        await after.settle(*claimed)
    assert await after.intended() == {}
    assert await state(queues, ticket.id) is State.MATCHED
    assert await Effects(queues).made(after.place, [claimed[0]]) == {claimed[0]: claimed[1]}


async def test_a_start_frees_and_an_end_without_start_closes(queues: Queues, claims: Claims, game: str) -> None:
    effects = Effects(queues)
    for turn, expected in ((Turn.STARTED, State.MATCHED), (Turn.CLOSED, State.CLOSED)):
        ticket = new_ticket(game)
        await queues.create(ticket)
        claimed = await claim_all(claims)
        assert claimed is not None
        await claims.settle(*claimed)
        again = new_ticket(game, player=ticket.player)
        assert await queues.create(again) == ("EXISTS", ticket.id)
        await effects.store(game, Heard(claimed[0], turn, intent=claimed[1]))
        found = await queues.read(ticket.id)
        assert found is not None
        assert (found.state, found.is_final) == (expected, True)
        assert (await queues.create(again))[0] == "OK"
        waiting = await queues.read(again.id)
        assert waiting is not None
        await queues.cancel(waiting)


async def test_a_result_is_counted_once_and_its_position_kept(queues: Queues, game: str) -> None:
    effects, match = Effects(queues), bytes([9]) + os.urandom(15)
    for position in ("5-1", "5-1", "4-9", "10-0", "9-7"):
        await effects.store(game, Heard(match, counted="RESULT", position=position))
    assert (await effects.positions([game]))[9] == "10-0"
    from services.kit.log.asking import ask
    from services.matchmaking.places import place_of

    place = place_of(game)
    assert await ask(queues.servers, place.partition, "HGETALL", place.results) == [b"RESULT", b"2"]


async def test_tickets_expire(queues: Queues, claims: Claims, game: str) -> None:
    ticket, longer = new_ticket(game, lifetime_ms=1), new_ticket(game)
    for new in (ticket, longer):
        await queues.create(new)
    await asyncio.sleep(0.01)
    await claims.expire(2**50)
    assert await state(queues, ticket.id) is State.EXPIRED
    assert await state(queues, longer.id) is State.WAITING
    assert [w.ticket for w in (await claims.waiting())["queue"]] == [longer.id]
    assert (await queues.create(new_ticket(game, player=ticket.player)))[0] == "OK"


async def test_nothing_is_left_of_tickets_that_came_and_went(
    log: EventLog, queues: Queues, claims: Claims, game: str
) -> None:
    keys = list[str]()
    for number in range(300):
        ticket = new_ticket(game, lifetime_ms=1 if number % 3 else 60_000)
        keys.append(claims.place.ticket(ticket.id))
        await queues.create(ticket)
        stored = await queues.read(ticket.id)
        if stored is not None and number % 3 == 0:
            await queues.cancel(stored)
    while await claims.waiting():
        await claims.expire(2**50)
    assert await keys_of(log, game) == {"lease", "fence", "arrivals"}
    async with asyncio.timeout(60):
        while await log.servers.all[0].client.exists(*keys):  # noqa: ASYNC110 - the server drops them
            await asyncio.sleep(0.05)


async def test_watchers_hear_of_every_change(queues: Queues, claims: Claims, game: str) -> None:
    ticket, told = new_ticket(game), asyncio.Queue[int | None]()
    await queues.create(ticket)
    with queues.follow(ticket.id, told.put_nowait):
        assert await asyncio.wait_for(told.get(), 60) is None
        claimed = await claim_all(claims)
        assert claimed is not None
        await claims.settle(*claimed)
        assert await asyncio.wait_for(told.get(), 60) == 1
        await Effects(queues).store(game, Heard(claimed[0], Turn.CLOSED, intent=claimed[1]))
        assert await asyncio.wait_for(told.get(), 60) == 1


async def test_lost_functions_are_loaded_again(queues: Queues, game: str) -> None:
    await queues.servers.all[0].ask("FUNCTION", "DELETE", library.NAME)
    assert (await queues.create(new_ticket(game)))[0] == "OK"
