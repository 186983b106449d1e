"""Tickets through real processes: two of matchmaking at once behind two gateways, by the public API alone."""

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio
from argosy.client import Account, Client, NoMatch
from argosy.client.errors import ArgosyError
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import matchmaking_service_pb2 as pb
from argosy.v1 import matchmaking_service_pb2_grpc as pb_grpc

from tests.integration.players import guests, play, play_all
from tests.platform import ROOT, Platform, run_platform

SEATING = {
    "ARGOSY_MATCHMAKING_LEASE_S": "1",
    "ARGOSY_MATCHMAKING_KEPT_S": "5",
    "ARGOSY_MATCHMAKING_GATHER_S": "0.5",
    "ARGOSY_MATCHMAKING_START_S": "1",
    "ARGOSY_MATCHMAKING_RESEND_S": "0.3",
}
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(("sirenen", "ruhe"), gateways=2, matchmaking=2, seating=SEATING) as running:
        yield running


async def test_two_strangers_find_each_other_and_play(platform: Platform) -> None:
    async with guests(platform) as clients:
        found = await asyncio.wait_for(asyncio.gather(*(client.find_match("sirenen") for client in clients)), 120)
        assert found[0].match.name == found[1].match.name
        by_seat = dict(zip((joined.seat for joined in found), clients, strict=True))
        updates = await play_all([by_seat[0], by_seat[1]], found[0].match.name)
        created = updates[0][0].part
        assert created is not None
        assert created.cause.created.creator == bytes(16)
        assert updates[0][-1].end is not None


async def test_tickets_are_matched_in_order_of_arrival(platform: Platform) -> None:
    options = entry_pb2.MatchOptions(idle_seconds=1001)
    async with guests(platform, 3) as clients:
        tickets = [await client.tickets.create("sirenen", options=options) for client in clients]
        matched = [await client.tickets.matched(t.name) for client, t in zip(clients, tickets[:2], strict=False)]
        assert [ticket.seat for ticket in matched] == [0, 1]
        assert matched[0].match == matched[1].match
        assert (await clients[2].tickets.get(tickets[2].name)).state == pb.Ticket.STATE_WAITING
        cancelled = await clients[2].tickets.cancel(tickets[2].name)
        assert cancelled.state == pb.Ticket.STATE_CANCELLED
        assert [t.state async for t in clients[2].tickets.watch(cancelled.name)] == [pb.Ticket.STATE_CANCELLED]


async def test_only_equal_wishes_meet(platform: Platform) -> None:
    async with guests(platform) as clients:
        tickets = [
            await client.tickets.create("sirenen", options=entry_pb2.MatchOptions(rated=bool(i), idle_seconds=1002))
            for i, client in enumerate(clients)
        ]
        await asyncio.sleep(0.5)
        for client, ticket in zip(clients, tickets, strict=True):
            assert (await client.tickets.cancel(ticket.name)).state == pb.Ticket.STATE_CANCELLED


async def test_one_ticket_for_each_player_and_queue(platform: Platform) -> None:
    options = entry_pb2.MatchOptions(idle_seconds=1003)
    async with guests(platform, 1) as (client,):
        first, again = [
            await client.tickets.create("sirenen", options=options, request_id="the-same-request") for _ in range(2)
        ]
        assert first == again
        refusals = []
        for request_id, kept in (("another-request-1", options), ("the-same-request", None)):
            with pytest.raises(ArgosyError) as refused:
                await client.tickets.create("sirenen", options=kept, request_id=request_id)
            refusals.append((refused.value.name, refused.value.metadata.get("ticket")))
        assert refusals == [("TICKET_EXISTS", first.name), ("REQUEST_ID_REUSED", None)]
        elsewhere = await client.tickets.create("sirenen", options=entry_pb2.MatchOptions(idle_seconds=1004))
        for ticket in (first, elsewhere):
            assert (await client.tickets.cancel(ticket.name)).state == pb.Ticket.STATE_CANCELLED
        retried = await client.tickets.create("sirenen", options=options, request_id="the-same-request")
        assert retried.state == pb.Ticket.STATE_CANCELLED


async def test_a_ticket_is_its_players_alone(platform: Platform) -> None:
    async with guests(platform) as (mine, other):
        ticket = await mine.tickets.create("sirenen", options=entry_pb2.MatchOptions(idle_seconds=1005))
        for call in (other.tickets.get, other.tickets.cancel, other.tickets.matched):
            with pytest.raises(ArgosyError) as hidden:
                await call(ticket.name)
            assert hidden.value.name == "NOT_FOUND"
        await mine.tickets.cancel(ticket.name)


async def test_what_cannot_be_played_is_refused(platform: Platform) -> None:
    async with guests(platform, 1) as (client,):
        names = []
        for wish in (
            {"game": "chess"},
            {"game": "sirenen", "seats": 7},
            {"game": "sirenen", "bot_policy": "psychic"},
            {"game": "sirenen", "bot_wait_seconds": 5},
            {"game": "sirenen", "options": entry_pb2.MatchOptions(invitation=True)},
            {"game": "sirenen", "request_id": "short"},
        ):
            with pytest.raises(ArgosyError) as refused:
                await client.tickets.create(**wish)
            names.append(refused.value.name)
        assert names == ["NOT_FOUND", "BAD_SETTINGS", *["INVALID_REQUEST"] * 4]


async def test_bots_fill_what_is_open(platform: Platform) -> None:
    async with guests(platform, 1) as (client,):
        joined = await asyncio.wait_for(client.find_match("sirenen", bot_policy="random"), 120)
        assert joined.match.state == match_pb.Match.STATE_ACTIVE
        assert [seat.bot_policy for seat in joined.match.seats] == ["", "random"]


async def test_who_leaves_before_the_start_closes_the_tickets(platform: Platform) -> None:
    options = entry_pb2.MatchOptions(idle_seconds=1006, ready_seconds=1)
    async with guests(platform) as clients:
        tickets = [await client.tickets.create("sirenen", options=options) for client in clients]
        matched = await clients[0].tickets.matched(tickets[0].name)
        await clients[0].leave(matched.match)
        *_, last = [ticket async for ticket in clients[1].tickets.watch(tickets[1].name)]
        assert (last.state, last.match) == (pb.Ticket.STATE_CLOSED, matched.match)
        again = [await client.tickets.create("sirenen", options=options) for client in clients]
        assert {(await client.tickets.matched(t.name)).seat for client, t in zip(clients, again, strict=True)} == {0, 1}


async def test_a_watched_ticket_is_sent_again_when_nothing_happens(platform: Platform) -> None:
    async with guests(platform, 1) as (client,), grpc.aio.insecure_channel(platform.address) as channel:
        ticket = await client.tickets.create("sirenen", options=entry_pb2.MatchOptions(idle_seconds=1010))
        bearer = await client.credentials.bearer(client._calls)
        call = pb_grpc.MatchmakingServiceStub(channel).WatchTicket(
            pb.WatchTicketRequest(name=ticket.name), metadata=(("authorization", f"Bearer {bearer}"),), timeout=60
        )
        seen = list[pb.Ticket]()
        async for response in call:
            seen.append(response.ticket)
            if len(seen) == 3:
                await client.tickets.cancel(ticket.name)
        assert seen[:3] == [ticket] * 3
        assert seen[-1].state == pb.Ticket.STATE_CANCELLED


async def test_who_gives_up_waiting_leaves_no_ticket(platform: Platform) -> None:
    options = entry_pb2.MatchOptions(idle_seconds=1007)
    async with guests(platform) as (first, second):
        looking = asyncio.create_task(first.find_match("sirenen", options=options))
        await asyncio.sleep(0.3)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking
        ticket = await second.tickets.create("sirenen", options=options)
        await asyncio.sleep(0.3)
        await second.tickets.cancel(ticket.name)
        with pytest.raises(NoMatch):
            await second.tickets.matched(ticket.name)


async def test_one_alone_and_ranges(platform: Platform) -> None:
    async with guests(platform, 3) as clients:
        alone = await asyncio.wait_for(clients[0].find_match("ruhe", seats=1), 120)
        assert (alone.match.state, len(alone.match.seats)) == (match_pb.Match.STATE_ACTIVE, 1)
        wishes: list[int | tuple[int, int]] = [(2, 4), (3, 5), 3]
        found = await asyncio.wait_for(
            asyncio.gather(*(c.find_match("ruhe", seats=s) for c, s in zip(clients, wishes, strict=True))), 20
        )
        assert len({joined.match.name for joined in found}) == 1
        assert {joined.seat for joined in found} == {0, 1, 2}
        with pytest.raises(ArgosyError) as refused:
            await clients[0].tickets.create("ruhe", seats=(2, 9))
        assert refused.value.name == "BAD_SETTINGS"


async def test_cancel_against_match_through_the_gateways(platform: Platform) -> None:
    options, outcomes = entry_pb2.MatchOptions(idle_seconds=1008), list[pb.Ticket]()
    async with guests(platform, 10) as clients:
        await asyncio.gather(*(race(client, options, 20, outcomes, i) for i, client in enumerate(clients)))
        matched = [ticket for ticket in outcomes if ticket.match]
        assert len(outcomes) == 200
        assert min(len(matched), len(outcomes) - len(matched)) > 10
        places = [(ticket.match, ticket.seat, ticket.player) for ticket in matched]
        for match in {ticket.match for ticket in matched}:
            seats = (await clients[0].get(match)).seats
            told = [(match, number, seat.player) for number, seat in enumerate(seats)]
            assert sorted(place for place in places if place[0] == match) == told


async def race(
    client: Client, options: entry_pb2.MatchOptions, times: int, outcomes: list[pb.Ticket], seed: int
) -> None:
    """Queues and takes back at the same time as others come; plays on, by giving up, where that was too late."""
    chance = random.Random(seed)
    for _ in range(times):
        ticket = await client.tickets.create("sirenen", options=options)
        await asyncio.sleep(chance.choice((0, 0.005, 0.02, 0.05)))
        try:
            outcomes.append(await client.tickets.cancel(ticket.name))
        except ArgosyError as error:
            assert error.name == "TICKET_MATCHED"  # noqa: PT017 - nothing else may come
            matched = await client.tickets.matched(ticket.name)
            outcomes.append(matched)
            await client.ready(matched.match)
            async for _ in client.tickets.watch(ticket.name):  # until the match has let the player go
                pass


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, "no game to make matches of"),
        ({"ARGOSY_RULES": "sirenen"}, "ARGOSY_RULES must be a list"),
        ({"ARGOSY_RULES": "sirenen=127.0.0.1:1", "ARGOSY_REDIS_URL": "redis://127.0.0.1:1"}, "no store answers"),
        ({"ARGOSY_MATCHMAKING_LEASE": "1"}, "did you mean ARGOSY_MATCHMAKING_LEASE_S"),
    ],
)
async def test_what_keeps_it_from_starting_is_one_line(variables: dict[str, str], told: str) -> None:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("ARGOSY_")} | variables
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.matchmaking"), stderr=asyncio.subprocess.PIPE, env=environ, cwd=ROOT
    )
    _, stderr = await asyncio.wait_for(process.communicate(), 120)
    *_, last = stderr.decode().splitlines()
    assert process.returncode == 2
    assert told in last
    assert "Traceback" not in stderr.decode()


async def test_who_waits_goes_on_waiting_when_a_process_goes(platform: Platform) -> None:
    options = entry_pb2.MatchOptions(idle_seconds=1009)
    async with guests(platform) as (first, second):
        looking = asyncio.create_task(first.find_match("sirenen", options=options))
        for process in platform.matchmaking:
            await asyncio.sleep(0.3)
            assert await process.end() == 0
            await process.start()
        found = await asyncio.wait_for(asyncio.gather(looking, second.find_match("sirenen", options=options)), 120)
        assert {joined.seat for joined in found} == {0, 1}


async def test_the_same_creation_at_two_gateways_makes_one_match(platform: Platform) -> None:
    async with guests(platform, 1) as (client,):
        account = client.credentials
        assert isinstance(account, Account)
        async with Client.connect(platform.gateways[1].address, account=account) as twin:
            for number in range(20):
                request_id = f"one-creation-at-two-gateways-{number}"
                made = await asyncio.gather(*(c.create("sirenen", request_id=request_id) for c in (client, twin) * 3))
                assert len({match.name for match in made}) == 1
                assert (await twin.get(made[0].name)).state == match_pb.Match.STATE_OPEN


async def test_a_person_alone_plays_against_a_hosted_bot(platform: Platform) -> None:
    bots = await platform.start_bots()
    async with guests(platform, 1) as (client,):
        joined = await asyncio.wait_for(client.find_match("sirenen", bot_policy="sensible"), 120)
        updates = await asyncio.wait_for(play(client, joined.match.name, joined.seat), 60)
        assert updates[-1].end is not None
        assert updates[-1].end.outcome == entry_pb2.End.OUTCOME_RESULT
    assert await bots.end() == 0
