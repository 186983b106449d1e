"""A hundred thousand tickets that come and go; keys and memory must come back to where they were.

python -m tests.soak.matchmaking [CYCLES]
"""

import asyncio
import os
import sys
import time

from redis.asyncio import Redis

from services.kit.log.log import open_log
from services.kit.log.news import Following
from services.kit.log.servers import RedisSettings
from services.matchmaking import library
from services.matchmaking.claims import Claims
from services.matchmaking.effects import Effects, Heard, Turn
from services.matchmaking.intents import Intent
from services.matchmaking.queues import Queues
from services.matchmaking.tests.tickets import claim_all, new_ticket
from tests.servers import running

KEPT_MS = 200
GAME = "soak"
WORKERS = 32
ALLOWED_BYTES = 1024 * 1024


async def main(cycles: int) -> None:
    """Warms up, measures, goes through the cycles, and measures again."""
    with running() as store:
        async with open_log(RedisSettings(redis_url=store.url)) as log, asyncio.TaskGroup() as group:
            tasks = list[asyncio.Task[None]]()
            await library.load(log.servers)
            following = Following(log.servers, lambda work: tasks.append(group.create_task(work)), 10.0)
            queues, client = Queues(log.servers, following, KEPT_MS), log.servers.all[0].client
            await go_through(queues, 1_000)
            print("warm")
            before, began = await measured(client), time.monotonic()
            await go_through(queues, cycles)
            seconds, after = time.monotonic() - began, await measured(client)
            for task in tasks:
                task.cancel()
    print(f"{cycles} tickets in {seconds:.0f} s; keys {before[0]} -> {after[0]}; bytes {before[1]} -> {after[1]}")
    assert after[0] == before[0], "keys were left"
    assert after[1] <= before[1] + ALLOWED_BYTES, "memory was left"


async def go_through(queues: Queues, cycles: int) -> None:
    """So many tickets, in equal parts cancelled, expired, and matched but closed."""
    claims = Claims(queues, GAME, "soak")
    expiring = asyncio.create_task(expire_all(claims))
    try:
        await asyncio.gather(*(work(queues, claims, cycles // WORKERS, number) for number in range(WORKERS)))
        while await claims.waiting():  # noqa: ASYNC110 - tickets expire by time
            await asyncio.sleep(0.05)
    finally:
        expiring.cancel()
        await claims.release()


async def work(queues: Queues, claims: Claims, cycles: int, number: int) -> None:
    """One worker's tickets, in a queue of its own."""
    for cycle in range(cycles):
        ticket = new_ticket(GAME, queue=f"queue-{number}", lifetime_ms=20 if cycle % 3 == 0 else 2_000)
        await queues.create(ticket)
        if cycle % 3 == 1:
            stored = await queues.read(ticket.id)
            if stored is not None:  # else this machine was so slow that it has expired meanwhile
                await queues.cancel(stored)
        elif cycle % 3 == 2:
            await claims.hold(60_000)
            claimed = await claim_all(claims, f"queue-{number}")
            if claimed is not None:
                await close(queues, claimed)


async def close(queues: Queues, claimed: tuple[bytes, Intent]) -> None:
    """The match of these tickets comes to nothing."""
    match, intent = claimed
    await Effects(queues).store(GAME, Heard(match, Turn.CLOSED, intent=intent))


async def expire_all(claims: Claims) -> None:
    """Ends tickets whose time has come."""
    while True:
        await claims.expire(2**50)
        await asyncio.sleep(0.02)


async def measured(client: Redis) -> tuple[int, int]:
    """Keys, and bytes used, once nothing expires any more and the server has tidied up."""
    await asyncio.sleep(3 * KEPT_MS / 1000 + 2)
    await client.memory_purge()
    used = (await client.info("memory"))["used_memory_dataset"]
    return int(await client.dbsize()), int(used)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
    sys.exit(os.EX_OK)
