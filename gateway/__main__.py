"""Runs a gateway: the platform's only public address.

    python -m gateway

Settings are read from ARGOSY_* variables. What keeps it from starting is one line on stderr and exit code 2.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from argosy.v1 import bot_service_pb2_grpc as bot_grpc
from argosy.v1 import match_service_pb2_grpc as match_grpc
from argosy.v1 import matchmaking_service_pb2, replay_service_pb2, ruling_service_pb2

from gateway.accesses import Accesses, open_book
from gateway.accounts.players import Players
from gateway.archive import open_archive
from gateway.archivist import open_archivist
from gateway.edge import Edge, durability_of, open_edge
from gateway.forward import Forwarding
from gateway.matches.bots import BotService
from gateway.matches.desk import Desk
from gateway.matches.due import settle_due
from gateway.matches.notary import Notary
from gateway.matches.service import MatchService
from gateway.matches.streams import Streams
from gateway.reflection import reflect
from gateway.replays import finishing
from gateway.settings import GatewaySettings
from gateway.tls import read_credentials
from services.kit import metrics, startup
from services.kit import settings as kit_settings
from services.kit.host import PUBLIC, Register, Service, Task, run, serve
from services.kit.limits import raise_file_limit
from services.kit.log.generation import Generation
from services.kit.log.log import EventLog, open_log
from services.kit.logs import configure, log_settings
from services.match.deciding import Decider
from services.match.histories import Archive
from services.match.matches import Matches
from services.match.recording import Recorder
from services.match.rules import RulesDirectory, check_address
from services.match.tables import Tables

DOORS = 8
"""Of 64 players who act at once, by calls, so many let 6 act together; 16 gained next to nothing more."""
PUBLIC_SERVICES = (
    "argosy.v1.SessionService",
    "argosy.v1.GameService",
    "argosy.v1.MatchService",
    "argosy.v1.BotService",
)
MATCHMAKING = matchmaking_service_pb2.DESCRIPTOR.services_by_name["MatchmakingService"]
REPLAY = replay_service_pb2.DESCRIPTOR.services_by_name["ReplayService"]
RULING = ruling_service_pb2.DESCRIPTOR.services_by_name["RulingService"]


async def main() -> None:
    """Puts the gateway together and serves until told to stop."""
    settings = kit_settings.load(GatewaySettings, os.environ)
    configure(settings.log, "gateway")
    log_settings(settings)
    raise_file_limit(settings.files)
    async with (
        open_edge(settings) as edge,
        open_log(settings.redis) as log,
        open_archive(settings.replay) as archive,
        open_archivist(settings.replay) as archivist,
        open_matches(log, edge.directory, archive, settings) as matches,
        open_forwarding(settings, edge.players) as forwarding,
        open_book(settings.replay) as book,
    ):
        streams = Streams(asyncio.Event())

        def counts() -> dict[tuple[str, str], int]:
            return {**matches.counts(), **book.counts()}

        with metrics.serving(settings.metrics, counts, lambda: _gauges(matches, streams)):
            notary = Notary(edge.keys.signer("receipt"), matches.tables)
            desk = Desk(matches, edge.players, edge.build, notary, archivist, Accesses(book))
            service = _service(edge, log, desk, streams, forwarding)
            service.tasks = [*service.tasks, book.run]
            await serve(settings.listen, service)


def _gauges(matches: Matches, streams: Streams) -> dict[str, float]:
    """What there is now, for Prometheus."""
    return {"tables": len(matches.tables), "streams": len(streams), **matches.tables.log.capacity.gauges()}


@asynccontextmanager
async def open_matches(
    log: EventLog, directory: RulesDirectory, archive: Archive | None, settings: GatewaySettings
) -> AsyncIterator[Matches]:
    """The one writer of histories, with its background work, which ends with it."""
    async with asyncio.TaskGroup() as group:
        tables = Tables(log, directory, group, archive, settings.tables)
        yield Matches(tables, Recorder(tables, settings.number), Decider(group))
        tables.close()


@asynccontextmanager
async def open_forwarding(settings: GatewaySettings, players: Players) -> AsyncIterator[list[Forwarding]]:
    """The services behind this gateway, of those that have an address."""
    forwarding = list[Forwarding]()
    if settings.matchmaking:
        forwarding.append(Forwarding(MATCHMAKING, check_address("ARGOSY_MATCHMAKING", settings.matchmaking)))
    if settings.replay:
        address = check_address("ARGOSY_REPLAY", settings.replay)
        forwarding.append(Forwarding(REPLAY, address, finishing=finishing(players)))
        forwarding.append(Forwarding(RULING, address))
    yield forwarding
    for service in forwarding:
        await service.close()


def _service(edge: Edge, log: EventLog, desk: Desk, streams: Streams, forwarding: list[Forwarding]) -> Service:
    settings = edge.settings
    matches = desk.matches
    served = MatchService(desk, streams, edge.allowance)
    register: list[Register] = edge.registrations(durability_of(log.store, settings.redis.redis_replicas))
    register.append(lambda server: match_grpc.add_MatchServiceServicer_to_server(served, server))
    bots = BotService(matches, streams)
    register.append(lambda server: bot_grpc.add_BotServiceServicer_to_server(bots, server))
    tasks: list[Task] = [
        edge.directory.keep_fresh,
        edge.revocation.watch_over,
        log.capacity.watch_over,
        Generation(log).watch_over,
        streams.watch_over,
        partial(settle_due, matches),
    ]
    tasks.append(partial(desk.archivist.tell_keys, edge.keys))
    register += [service.register for service in forwarding]
    tasks += [service.keep_draining for service in forwarding]
    if settings.reflection:
        names = [*PUBLIC_SERVICES, *(service.name for service in forwarding)]
        register.append(reflect(names, edge.directory))
    return Service(
        register=register,
        tasks=tasks,
        interceptors=[edge.gate],
        limits=PUBLIC,
        grace_s=settings.drain_s,
        inside=settings.listen_inside,
        credentials=read_credentials(settings.tls_cert, settings.tls_key),
        is_shared=settings.listen_shared,
        doors=DOORS,
        draining=streams.draining,
    )


if __name__ == "__main__":
    startup.run(lambda: run(main))
