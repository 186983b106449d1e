"""Tickets cancelled while they are matched: nobody is seated who was told that it was cancelled, nor the other way."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass

import pytest
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import matchmaking_service_pb2 as pb

from tests.faults.test_matchmaking import GAME, check, guests, inside
from tests.platform import run_platform

Options = entry_pb2.MatchOptions
QUEUES = [
    Options(spectators=spectators, disclosure=disclosure)
    for spectators in (Options.SPECTATORS_NONE, Options.SPECTATORS_PUBLIC)
    for disclosure in (Options.DISCLOSURE_AT_END, Options.DISCLOSURE_NEVER)
]
pytestmark = pytest.mark.timeout(1200)


@dataclass(frozen=True)
class Race:
    """Two players in a queue of their own."""

    ann: Client
    bob: Client
    options: Options
    chance: random.Random


@dataclass(frozen=True)
class Seated:
    """Where a player was told that it sits."""

    match: match_pb.Match
    seat: int


async def test_cancel_against_match(is_long: bool) -> None:
    races, found, outcomes = (1_000 if is_long else 32), list[Seated](), Counter[str]()
    async with run_platform(matchmaking=1) as platform, guests(platform, 2 * len(QUEUES)) as clients:
        queues_of = zip(clients[::2], clients[1::2], QUEUES, strict=True)
        pairs = [Race(ann, bob, options, random.Random(number)) for number, (ann, bob, options) in enumerate(queues_of)]
        await asyncio.gather(*(run(pair, races // len(pairs), found, outcomes) for pair in pairs))
        assert outcomes.total() == races
        if is_long:
            assert min(outcomes.values()) > races // 20, outcomes
        async with inside(platform) as (log, _, queues):
            await check(log, queues, found)


async def run(pair: Race, times: int, found: list[Seated], outcomes: Counter[str]) -> None:
    """So many races: one cancels while the other comes."""
    ann, bob = pair.ann, pair.bob
    for _ in range(times):
        first = await ann.tickets.create(GAME, options=pair.options)
        told, second = await asyncio.gather(
            cancelled(ann, first.name, pair.chance.uniform(0.0, 0.05)), bob.tickets.create(GAME, options=pair.options)
        )
        stands = await ann.tickets.get(first.name)
        outcomes["cancelled" if told else "matched"] += 1
        if told:
            assert stands.state == pb.Ticket.STATE_CANCELLED
            assert not stands.match
            await bob.tickets.cancel(second.name)
            continue
        for client, ticket in ((ann, first.name), (bob, second.name)):
            matched = await client.tickets.matched(ticket)
            found.append(Seated(match_pb.Match(name=matched.match), matched.seat))
            await client.ready(matched.match)
        await ann.resign(matched.match)


async def cancelled(client: Client, ticket: str, after_s: float) -> bool:
    """Whether the ticket could be taken back."""
    await asyncio.sleep(after_s)
    try:
        await client.tickets.cancel(ticket)
    except ArgosyError as error:
        if error.name != "TICKET_MATCHED":
            raise
        return False
    return True
