"""Who read what at this gateway, told to replay, which keeps it."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
from argosy.internal.v1 import access_service_pb2 as pb
from argosy.internal.v1 import access_service_pb2_grpc as pb_grpc

from gateway.authorization import Caller
from services.kit.channels import open_channel
from services.kit.errors import Reason, Refused
from services.match.accesses import AUDITING, Access, access_of
from services.match.book import Book
from services.match.table import ENDED, Table
from services.match.viewers import Viewer

if TYPE_CHECKING:
    from argosy.internal.v1.access_service_pb2_grpc import AccessServiceAsyncStub

_DEADLINE_S = 5.0
_BOTS = "bots"


class Accesses:
    """Notes reads of matches that are not over, and all by who audits. The platform's own bots are nobody who reads."""

    def __init__(self, book: Book) -> None:
        self._book = book

    async def read(self, method: str, caller: Caller, table: Table, viewer: Viewer) -> None:
        """Notes one read of the match as it stands; before its answer where that must be kept."""
        if access := _access(method, caller, table, viewer):
            access.first_version = access.last_version = table.version
            await self._book.read(access)

    @asynccontextmanager
    async def watching(
        self, method: str, caller: Caller, table: Table, viewer: Viewer
    ) -> AsyncIterator[Callable[[int], None]]:
        """Notes a watch for as long as the block lasts; gives what each version is told to."""
        access = _access(method, caller, table, viewer)
        if access is None:
            yield _look_away
            return
        async with self._book.watching(access) as see:
            yield see


def _access(method: str, caller: Caller, table: Table, viewer: Viewer) -> Access | None:
    """The access; None where none is kept."""
    is_live, is_privileged = table.phase not in ENDED, bool(AUDITING & caller.scopes)
    if _BOTS in caller.scopes or not (is_live or is_privileged):
        return None
    access = access_of(caller.player, caller.key, table.match, method, seats=viewer.seats)
    access.live, access.privileged = is_live, is_privileged
    return access


def _look_away(_: int) -> None:
    """Sees nothing."""


@asynccontextmanager
async def open_book(address: str | None) -> AsyncIterator[Book]:
    """The book of this gateway, written by the replay behind this address. Without one nothing is kept."""
    if address is None:
        yield Book(_refuse)
        return
    async with open_channel(address) as channel:
        stub: AccessServiceAsyncStub = pb_grpc.AccessServiceStub(channel)

        async def write(accesses: Sequence[Access], lost: int) -> None:
            await _note(stub, accesses, lost)

        book = Book(write)
        yield book
        await book.close()


async def _refuse(accesses: Sequence[Access], _: int) -> None:
    """A `Write` where nobody keeps accesses: what is privileged cannot be read."""
    if any(access.privileged for access in accesses):
        text = "who reads this must be kept, and there is nobody who does"
        raise Refused(Reason.ERROR_REASON_SERVICE_UNAVAILABLE, text, service="ReplayService")


async def _note(stub: "AccessServiceAsyncStub", accesses: Iterable[Access], lost: int) -> None:
    try:
        request = pb.NoteAccessesRequest(accesses=accesses, lost=lost)
        await stub.NoteAccesses(request, timeout=_DEADLINE_S, wait_for_ready=True)
    except grpc.aio.AioRpcError as error:
        text = "who reads this must be kept, and replay does not answer"
        raise Refused(Reason.ERROR_REASON_SERVICE_UNAVAILABLE, text, retry_s=1.0, service="ReplayService") from error
