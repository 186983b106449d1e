"""Matches made and played by bots alone, one player for each seat in all of them."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from argosy.client import Account, Client, Patience
from argosy.v1.entry_pb2 import MatchOptions
from argosy.v1.match_service_pb2 import SeatRequest

_SOON = Patience(total=8.0)  # who starts bots by hand wants to hear soon that nobody is there


async def seat_bots(server: str, key: str, game: str, number: int, policy: str) -> list[dict[str, Any]]:
    """The seats of `number` new matches of the game's default settings, for `work`.

    With an API key of scope host its own players take the seats, else guests join.
    """
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(
            Client.connect(server, key=key, guest="" if key else "Bot 1", patience=_SOON)
        )
        seats = (await host.game(game)).about.default_seats
        options = MatchOptions(min_seats=seats, max_seats=seats)
        accounts = await (_players(host, seats) if key else _guests(host, server, seats, stack))
        found: list[dict[str, Any]] = []
        for _ in range(number):
            taken = [SeatRequest(seat=i, player=a.player) for i, a in enumerate(accounts)]
            match = (await host.create(game, options=options, seats=taken if key else taken[:1])).name
            if not key:
                await _join(host, match, accounts[1:], stack)
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


async def _join(host: Client, match: str, accounts: Sequence[Account], stack: AsyncExitStack) -> None:
    for seat, account in enumerate(accounts, 1):
        guest = await stack.enter_async_context(host.as_player(account))
        await guest.join(match, seat)
