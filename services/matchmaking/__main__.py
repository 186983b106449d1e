"""Runs matchmaking for all games of a deployment: tickets, queues, and the matches made of them.

    python -m services.matchmaking

Settings are read from ARGOSY_* variables. Any number of these processes may run; one at a time makes the matches of a
game. What keeps it from starting is one line on stderr and exit code 2.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any

from argosy.v1 import matchmaking_service_pb2 as pb
from argosy.v1 import matchmaking_service_pb2_grpc as pb_grpc

from services.kit import settings as kit_settings
from services.kit import startup
from services.kit.host import Service, Task, run, serve
from services.kit.log.generation import Generation
from services.kit.log.log import EventLog, open_log
from services.kit.log.news import Following
from services.kit.logs import configure, log_settings
from services.kit.startup import CannotStart
from services.match.deciding import Decider
from services.match.matches import Matches
from services.match.recording import Recorder
from services.match.rules import RulesDirectory, parse_addresses
from services.match.tables import Tables
from services.matchmaking import library
from services.matchmaking.claims import Claims
from services.matchmaking.desk import Desk
from services.matchmaking.effects import Effects
from services.matchmaking.hearing import READER, Hearing
from services.matchmaking.holding import Holder
from services.matchmaking.making import Maker
from services.matchmaking.queues import Queues
from services.matchmaking.service import MatchmakingService
from services.matchmaking.settings import MatchmakingSettings

_TABLES = 10_000


async def main() -> None:
    """Puts matchmaking together and serves until told to stop."""
    settings = kit_settings.load(MatchmakingSettings, os.environ)
    configure(settings.log, "matchmaking")
    log_settings(settings)
    games = parse_addresses(settings.games.rules)
    if not games:
        raise CannotStart("no game to make matches of: name the rules services by ARGOSY_RULES")
    directory = RulesDirectory(games)
    try:
        async with open_log(settings.redis) as log, open_parts(log, directory, settings) as (matches, queues):
            await directory.refresh()
            await serve(settings.matchmaking_listen, _service(list(games), matches, queues, settings))
    finally:
        await directory.close()


@asynccontextmanager
async def open_parts(
    log: EventLog, directory: RulesDirectory, settings: MatchmakingSettings
) -> AsyncIterator[tuple[Matches, Queues]]:
    """The one writer of histories, and the tickets, with their background work, which ends with them."""
    await library.load(log.servers)
    async with asyncio.TaskGroup() as group:
        spawned: list[asyncio.Task[None]] = []

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            spawned.append(group.create_task(work))

        tables = Tables(log, directory, group, None, _TABLES)
        following = Following(log.servers, spawn, settings.redis.redis_timeout_s)
        queues = Queues(log.servers, following, int(settings.matchmaking_kept_s * 1000))
        yield Matches(tables, Recorder(tables, settings.number), Decider(group)), queues
        tables.close()
        for task in spawned:
            task.cancel()


def _service(games: list[str], matches: Matches, queues: Queues, settings: MatchmakingSettings) -> Service:
    draining, name, lease_s = asyncio.Event(), secrets.token_hex(8), settings.matchmaking_lease_s
    effects = Effects(queues)
    maker = Maker(matches, effects, settings.build or metadata.version("argosy-platform"))
    tasks: list[Task] = [matches.tables.directory.keep_fresh, Generation(matches.tables.log).watch_over]
    for game in games:
        claims = Claims(queues, game, name)
        tasks.append(Holder(queues, claims, maker, lease_s, settings.matchmaking_gather_s).run)
    tasks.append(Hearing(matches.tables.log, effects, Claims(queues, READER, name), games, lease_s).run)
    desk = Desk(matches, queues, effects, maker, settings.matchmaking_ticket_s, settings.matchmaking_start_s)
    served = MatchmakingService(desk, settings.matchmaking_resend_s, draining)
    return Service(
        register=[lambda server: pb_grpc.add_MatchmakingServiceServicer_to_server(served, server)],
        tasks=tasks,
        reflected=[pb.DESCRIPTOR.services_by_name["MatchmakingService"].full_name],
        grace_s=settings.matchmaking_grace_s,
        draining=draining,
    )


if __name__ == "__main__":
    startup.run(lambda: run(main))
