"""The holder looks at queues into which somebody has come, and at those whose time has come; at all of them once."""

import pytest

from services.kit.log.log import EventLog
from services.matchmaking.attention import Attention
from services.matchmaking.claims import Claims
from services.matchmaking.queues import Queues
from services.matchmaking.tests.tickets import claim_all, new_game, new_ticket


@pytest.fixture
def claims(queues: Queues) -> Claims:
    return Claims(queues, new_game(), "holder")


async def come(claims: Claims, queues: Queues, queue: str) -> str:
    ticket = new_ticket(claims.place.game, queue=queue)
    await queues.create(ticket)
    return ticket.id


async def looked_at(attention: Attention, now_ms: int = 0) -> dict[str, list[str]]:
    found = await attention.queues(now_ms)
    return {name: [waiting.ticket for waiting in queue] for name, queue in found.items()}


async def test_all_queues_once_and_then_those_with_arrivals(queues: Queues, claims: Claims) -> None:
    attention = Attention(claims)
    first, second = await come(claims, queues, "a"), await come(claims, queues, "b")
    assert await looked_at(attention) == {"a": [first], "b": [second]}
    assert await looked_at(attention) == {}
    third = await come(claims, queues, "b")
    assert await looked_at(attention) == {"b": [second, third]}
    assert await looked_at(attention) == {}
    attention.forget()
    assert await looked_at(attention) == {"a": [first], "b": [second, third]}


async def test_a_queue_is_looked_at_when_its_time_has_come(queues: Queues, claims: Claims) -> None:
    attention = Attention(claims)
    first = await come(claims, queues, "a")
    await looked_at(attention)
    attention.again("a", 500)
    attention.again("a", 700)
    attention.again("gone", 600)
    attention.again("gone", None)
    assert (attention.next_ms(100), attention.next_ms(10_000)) == (100, 700)
    assert await looked_at(attention, 699) == {}
    assert await looked_at(attention, 700) == {"a": [first]}
    assert attention.next_ms(10_000) == 10_000
    assert await looked_at(attention, 701) == {}


async def test_times_out_of_date_do_not_pile_up(claims: Claims) -> None:
    attention = Attention(claims)
    await looked_at(attention)
    for at in range(20_000, 10_000, -1):
        attention.again("a", at)
    assert attention.next_ms(30_000) == 10_001
    assert len(attention._due) < 2_000


async def test_an_emptied_queue_leaves_nothing_behind(queues: Queues, claims: Claims, log: EventLog) -> None:
    attention = Attention(claims)
    assert await claims.hold(60_000)
    await come(claims, queues, "a")
    await looked_at(attention)
    assert await claim_all(claims, "a") is not None
    await come(claims, queues, "a")
    assert len((await looked_at(attention))["a"]) == 1
    assert await claim_all(claims, "a") is not None
    assert await looked_at(attention) == {}
    assert not await log.servers.all[0].client.exists(claims.place.changed)


async def test_a_clock_that_was_put_back_delays_nobody(queues: Queues, claims: Claims) -> None:
    attention = Attention(claims)
    first = await come(claims, queues, "a")
    await looked_at(attention, 3_600_000)
    attention.again("a", 3_600_050)
    assert await looked_at(attention, 0) == {"a": [first]}
    assert await looked_at(attention, 0) == {}
