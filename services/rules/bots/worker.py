"""Plays the seats that are handed to it as JSON lines, and tells in JSON lines how it goes.

In, one line a seat, then the end of input: `{"match", "game", "seat", "policy", "account"}`, the account as
`Account.dump` gives it. Out, as it happens:

    {"moves": 12, "latencies_ms": [...]}                                    twice a second
    {"match", "seat", "entries", "moves", "digest", "reason", "scores"}      the seat saw its match end
    {"match", "seat", "problem"}                                            it cannot go on
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import Any

from argosy.client import Account, ArgosyError, Client

from services.rules.bots.choosing import chooser
from services.rules.bots.playing import Bot

_TELL_S = 0.5
Tell = Callable[[dict[str, Any]], None]


def read_seats(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The seats to play."""
    return [json.loads(line) for line in lines if line.strip()]


def write_line(told: dict[str, Any]) -> None:
    """Writes one line at once."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


async def work(server: str, seats: Sequence[dict[str, Any]], tell: Tell) -> int:
    """Plays all seats at once; the number of those that could not go on."""
    accounts = {seat["account"]["player"]: seat["account"] for seat in seats}
    latencies: list[float] = []
    async with AsyncExitStack() as stack:
        clients = await _sign_in(server, accounts, stack)
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(_tell_moves(latencies, tell))
            try:
                results = await asyncio.gather(
                    *(_play(clients[seat["account"]["player"]], seat, latencies.append, tell) for seat in seats)
                )
            finally:
                telling.cancel()
                _flush(latencies, tell)
    return results.count(False)


async def _sign_in(server: str, accounts: dict[str, Any], stack: AsyncExitStack) -> dict[str, Client]:
    """A client for each player, all over the same connections."""
    clients: dict[str, Client] = {}
    first: Client | None = None
    for player, dumped in accounts.items():
        account = Account.load(dumped)
        client = Client.connect(server, account=account) if first is None else first.as_player(account)
        clients[player] = await stack.enter_async_context(client)
        first = first or client
    return clients


async def _play(client: Client, seat: dict[str, Any], moved: Callable[[float], None], tell: Tell) -> bool:
    where = {"match": seat["match"], "seat": seat["seat"]}
    try:
        choose = chooser(seat["game"], seat.get("policy", "random"))
        played = await Bot(client, seat["match"], seat["seat"], choose, moved).play()
    except (ArgosyError, ValueError) as error:
        tell({**where, "problem": str(error)})
        return False
    tell({**where, **asdict(played)})
    return True


async def _tell_moves(latencies: list[float], tell: Tell) -> None:
    while True:
        await asyncio.sleep(_TELL_S)
        _flush(latencies, tell)


def _flush(latencies: list[float], tell: Tell) -> None:
    if latencies:
        tell({"moves": len(latencies), "latencies_ms": [round(ms, 2) for ms in latencies]})
        latencies.clear()
