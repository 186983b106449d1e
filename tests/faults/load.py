"""A load of matches that go on whatever happens, and what must hold afterwards."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from argosy.client import Client, Update
from argosy.client.errors import ArgosyError
from argosy.client.retry import Patience

from services.kit import parts
from tests.faults.oracles import audited, check_feeds, check_view
from tests.integration.players import seated_match
from tests.platform import Platform

PATIENT = Patience(total=180.0)


@dataclass
class Load:
    """Matches under way. `acknowledged` has match, version and digest of every action that was answered OK."""

    matches: list[str] = field(default_factory=list)
    acknowledged: list[tuple[str, int, bytes]] = field(default_factory=list)
    received: list[tuple[str, int, list[Update]]] = field(default_factory=list)  # by match and seat
    clients: Sequence[Client] = ()  # by seat

    async def play(self, client: Client, match: str, seat: int, seed: int) -> None:
        """Plays a seat to the end, through whatever happens."""
        chance, updates = random.Random(seed), list[Update]()
        following = client.follow(match, seat=seat, actions=True)
        async for update in following:
            updates.append(update)
            if update.actions:
                action = chance.choice(update.actions).action
                try:
                    entry = await following.play(action, at=update, patience=PATIENT)
                except ArgosyError as error:
                    if error.name not in ("STALE_VERSION", "MATCH_ENDED"):
                        raise
                else:
                    self.acknowledged.append((match, entry.version, entry.digest))
        self.received.append((match, seat, updates))


@contextlib.asynccontextmanager
async def loaded(platform: Platform, matches: int) -> AsyncIterator[tuple[Load, asyncio.Task[None]]]:
    """Starts `matches` matches, seats at the gateways in turn; the task ends when all have ended."""
    load = Load()
    async with contextlib.AsyncExitStack() as stack:
        clients = load.clients = [
            await stack.enter_async_context(Client.connect(gateway.address, guest=f"P{i}", patience=PATIENT))
            for i, gateway in enumerate((platform.gateways * 2)[:2])
        ]
        load.matches = [await seated_match(clients) for _ in range(matches)]
        async with asyncio.timeout(400):
            yield load, asyncio.create_task(_play_all(load, clients))


async def _play_all(load: Load, clients: Sequence[Client]) -> None:
    async with asyncio.TaskGroup() as group:
        for number, match in enumerate(load.matches):
            for seat, client in enumerate(clients):
                group.create_task(load.play(client, match, seat, number * 2 + seat))


async def check(platform: Platform, load: Load, *, is_trimmed: bool = False) -> int:
    """The oracles; the number of entries looked at. `is_trimmed` where both groups read the feeds."""
    histories = await audited(platform, "sirenen", load.matches)
    await check_feeds(platform, histories, is_trimmed=is_trimmed)
    for entries in histories.values():
        assert parts.server_part(parts.opened(1, b"", entries[-1].body)).HasField("end")
    for match, version, digest in load.acknowledged:
        assert histories[match][version - 1].digest == digest, f"{match}: version {version} was acknowledged and lost"
    for match, seat, updates in load.received:
        await check_view(load.clients[seat], match, seat, updates, len(histories[match]))
    assert len(load.received) == 2 * len(load.matches)
    return sum(map(len, histories.values()))
