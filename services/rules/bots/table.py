"""Matches made and played by bots alone, one player for each seat in all of them."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from argosy.client import Account, ArgosyError, Client, Patience
from argosy.v1.entry_pb2 import MatchOptions
from argosy.v1.match_service_pb2 import SeatRequest

_SOON = Patience(total=8.0)  # who starts bots by hand wants to hear soon that nobody is there


async def seat_bots(server: str, key: str, game: str, number: int, policy: str) -> list[dict[str, Any]]:
    """The seats of `number` new matches of the game's default settings, for `work`.

    With an API key they are for players of its own, whom it seats itself where it has scope host; else for guests.
    """
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(
            Client.connect(server, key=key, guest="" if key else "Bot 1", patience=_SOON)
        )
        seats = (await host.game(game)).about.default_seats
        accounts = await (_players(host, seats) if key else _guests(host, server, seats, stack))
        players = [await stack.enter_async_context(host.as_player(account)) for account in accounts]
        found: list[dict[str, Any]] = []
        for _ in range(number):
            match = (key and await _seat_all(host, game, accounts)) or await _gather(game, players)
            found += [_line(match, game, i, policy, account) for i, account in enumerate(accounts)]
        return found


def _line(match: str, game: str, seat: int, policy: str, account: Account) -> dict[str, Any]:
    return {"match": match, "game": game, "seat": seat, "policy": policy, "account": account.dump()}


async def _players(host: Client, seats: int) -> list[Account]:
    return [await host.create_player(f"Bot {number + 1}") for number in range(seats)]


async def _guests(host: Client, server: str, seats: int, stack: AsyncExitStack) -> list[Account]:
    others = [Client.connect(server, guest=f"Bot {number + 1}") for number in range(1, seats)]
    guests = [host, *[await stack.enter_async_context(other) for other in others]]
    accounts = [guest.credentials for guest in guests]
    return [account for account in accounts if isinstance(account, Account)]


async def _seat_all(host: Client, game: str, accounts: Sequence[Account]) -> str:
    """The name of a match in which the host has seated them; "" where its key may not."""
    taken = [SeatRequest(seat=seat, player=account.player) for seat, account in enumerate(accounts)]
    try:
        return (await host.create(game, options=_options(len(accounts)), seats=taken)).name
    except ArgosyError as error:
        if error.name != "SCOPE_MISSING":
            raise
        return ""


async def _gather(game: str, players: Sequence[Client]) -> str:
    """The name of a match that the first has created and the others have joined."""
    taken = [SeatRequest(seat=0)]
    match = (await players[0].create(game, options=_options(len(players)), seats=taken)).name
    for seat, player in enumerate(players[1:], 1):
        await player.join(match, seat)
    return match


def _options(seats: int) -> MatchOptions:
    return MatchOptions(min_seats=seats, max_seats=seats)
