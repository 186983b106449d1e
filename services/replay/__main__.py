"""Runs replay: the library and the archive of all matches, and the calls that show them.

    python -m services.replay            serves
    python -m services.replay reindex    makes the library anew from log and archive, also while a service runs

Settings are read from ARGOSY_* variables. What keeps it from starting is one line on stderr and exit code 2. Of all
processes on one library one at a time reads a partition; the others serve, and take over when it ends.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc
from argosy.internal.v1 import access_service_pb2_grpc, archive_service_pb2_grpc
from argosy.v1 import replay_service_pb2_grpc, ruling_service_pb2_grpc

from services.kit import settings as kit_settings
from services.kit import startup
from services.kit.host import Service, Task, run, serve
from services.kit.keys import SigningKey, read_keys, read_or_make_keys, signer
from services.kit.log.log import open_log
from services.kit.logs import configure, log_settings
from services.kit.startup import CannotStart
from services.match.book import Book
from services.match.rules import RulesDirectory, parse_addresses
from services.replay.accesses.keeping import AccessService, Forgetting
from services.replay.accesses.store import open_accesses
from services.replay.accesses.store import sqlite_url as accesses_sqlite_url
from services.replay.archive import Archive, open_archive
from services.replay.archive_service import ArchiveService
from services.replay.freshness import Freshness
from services.replay.histories import Histories
from services.replay.library import Library, open_library, sqlite_url
from services.replay.looks import Looks
from services.replay.reindexing import Counts, reindex
from services.replay.rulings.service import RulingService
from services.replay.service import ReplayService
from services.replay.settings import LibrarySettings, ReplaySettings, partitions_of
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.log import LogKeys, TransparencyLog, public_key
from services.replay.transparency.proving import Proofs
from services.replay.transparency.publishing import Publisher
from services.replay.work import Work


@dataclass(frozen=True, slots=True)
class Services:
    """What this process serves: two services for everybody, two for the platform's own processes."""

    replay: ReplayService
    ruling: RulingService
    archive: ArchiveService
    access: AccessService

    def register(self, server: grpc.aio.Server) -> None:
        """Lets the server serve them."""
        replay_service_pb2_grpc.add_ReplayServiceServicer_to_server(self.replay, server)
        ruling_service_pb2_grpc.add_RulingServiceServicer_to_server(self.ruling, server)
        archive_service_pb2_grpc.add_ArchiveServiceServicer_to_server(self.archive, server)
        access_service_pb2_grpc.add_AccessServiceServicer_to_server(self.access, server)


async def main() -> None:
    """Puts replay together and serves until told to stop."""
    settings = kit_settings.load(ReplaySettings, os.environ)
    configure(settings.log, "replay")
    log_settings(settings)
    homes = partitions_of(settings.replay_partitions)
    directory = RulesDirectory(parse_addresses(settings.games.rules))
    try:
        async with (
            open_log(settings.redis) as log,
            open_stores(settings.library) as (library, archive),
            open_accesses(_accesses_url(settings)) as accesses,
        ):
            await directory.refresh()
            histories, book = Histories(log, archive), Book(accesses.write)
            async with asyncio.TaskGroup() as group:
                freshness = Freshness(log.servers, library, settings.replay_catch_up_s, group)
                own = await asyncio.to_thread(_keys, settings)
                ledger = TransparencyLog(
                    archive, LogKeys(signer(own, "log"), signer(own, "receipt")), settings.log_origin
                )
                known = KnownKeys(archive, [public_key(key) for key in own])
                proofs = Proofs(ledger, archive, known)
                services = Services(
                    ReplayService(
                        library, histories, freshness, directory, proofs=proofs, accesses=accesses, looks=Looks(book)
                    ),
                    RulingService(library, histories, proofs),
                    ArchiveService(library, histories, known),
                    AccessService(accesses),
                )
                work = Work(library, histories, homes, settings)
                publisher = Publisher(library, histories, ledger, known)
                forgetting = Forgetting(accesses, settings.accesses.accesses_days)
                tasks = work.run, publisher.run, directory.keep_fresh, book.run, forgetting.run
                await serve(settings.replay_listen, _service(services, tasks, settings))
                await book.close()
    finally:
        await directory.close()


async def reindex_main() -> None:
    """Makes the library anew, tells on stderr how far it is, and prints how many matches were found where."""
    settings = kit_settings.load(ReplaySettings, os.environ)
    configure(settings.log, "replay-reindex")
    async with open_log(settings.redis) as log, open_stores(settings.library) as (library, archive):
        counts = await reindex(library, Histories(log, archive), _tell)
    sys.stdout.write(json.dumps(counts) + "\n")


def _tell(counts: Counts) -> None:
    sys.stderr.write(f"reindex: {counts.log} histories of the log read, {counts.archive} of the archive\n")


@asynccontextmanager
async def open_stores(settings: LibrarySettings) -> AsyncIterator[tuple[Library, Archive]]:
    """Library and archive."""
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    archive = open_archive(settings.archive_url, settings.data)
    async with open_library(settings.library_url or sqlite_url(settings.data)) as library:
        yield library, archive


def _accesses_url(settings: ReplaySettings) -> str:
    """Where it is kept who read what: with the library on a server, else in a file of its own."""
    library = settings.library.library_url or ""
    shared = library if library.startswith("postgres") else ""
    return settings.accesses.accesses_url or shared or accesses_sqlite_url(settings.library.data)


def _keys(settings: ReplaySettings) -> list[SigningKey]:
    """The keys that this process signs with. Raises CannotStart."""
    if settings.keys_file:
        return read_keys(settings.keys_file)
    return read_or_make_keys(settings.library.data / "keys.json")


def _service(services: Services, tasks: Sequence[Task], settings: ReplaySettings) -> Service:
    return Service(
        register=[services.register],
        tasks=tasks,
        reflected=["argosy.v1.ReplayService", "argosy.v1.RulingService"],
        grace_s=settings.replay_grace_s,
    )


def _run() -> None:
    command = sys.argv[1:]
    if command not in ([], ["reindex"]):
        raise CannotStart("usage: python -m services.replay [reindex]")
    run(reindex_main if command else main)


if __name__ == "__main__":
    startup.run(_run)
