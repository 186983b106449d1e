"""Seats the demo's players as strangers are seated: each by a ticket, and all tickets at once."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

from argosy.client import Account, ArgosyError, Client

from gateway.cli.demo.samples import Sample
from gateway.cli.demo.seating import Seated, Seating, make_players, parties

_TICKETS_PER_CONNECTION: Final = 40
"""Each is watched by a stream of its own, and a connection carries 100."""


async def seat_by_tickets(host: Client, address: str, samples: Sequence[Sample], seating: Seating) -> None:
    """Seats players until as many matches have begun as there are samples; what does not work out is told in it."""
    grouped = sorted(samples, key=lambda sample: sample.queue)  # so that nobody comes round twice in one queue
    accounts = await make_players(host, grouped)
    wishes = [(s, a) for s, party in zip(grouped, parties(accounts, grouped), strict=True) for a in party]
    tables = defaultdict[tuple[str, str, int], dict[int, Account]](dict)

    async def seek(caller: Client, sample: Sample, account: Account) -> None:
        try:
            found = await caller.find_match(sample.game, sample.settings, seats=sample.seats)
        except ArgosyError as error:
            seating.problems.append(f"{account.player} found no match of {sample.game}: {error}")
            return
        tables[found.match.name, sample.game, sample.seats][found.seat] = account
        seating.seated += 1

    async with AsyncExitStack() as stack:
        callers = await _callers(address, stack, wishes)
        await asyncio.gather(*(seek(callers[account.player], sample, account) for sample, account in wishes))
    _gather(tables, seating)


def _gather(tables: dict[tuple[str, str, int], dict[int, Account]], seating: Seating) -> None:
    """Keeps the matches of which every seat is known; says of the others what is missing."""
    for (name, game, seats), held in tables.items():
        if set(held) == set(range(seats)):
            seating.matches.append(Seated(name, game, tuple(held[seat] for seat in range(seats))))
        else:
            seating.problems.append(f"{name}: of {seats} seats only {sorted(held)} were found by a ticket")


async def _callers(address: str, stack: AsyncExitStack, wishes: Sequence[tuple[Sample, Account]]) -> dict[str, Client]:
    """A client for each player, on connections that carry no more tickets than they can."""
    tickets = defaultdict[str, int](int)
    for _, account in wishes:
        tickets[account.player] += 1
    callers, room, first = dict[str, Client](), 0, None
    for account in {account.player: account for _, account in wishes}.values():
        if first is None or tickets[account.player] > room:
            client = Client.connect(address, account=account)
            first, room = client, _TICKETS_PER_CONNECTION
        else:
            client = first.as_player(account)
        room -= tickets[account.player]
        callers[account.player] = await stack.enter_async_context(client)
    return callers
