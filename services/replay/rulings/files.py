"""Rulings as files beside the archive: what the library and the log say of them is made from these.

A file is written once and never changed, under a name made of the match and the request that asked for it; so a retry
finds itself, also at another process and in a library that was made anew.
"""

from collections.abc import AsyncIterator
from typing import Final

import structlog
from argosy.internal.v1 import archive_service_pb2 as archive_pb
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from services.kit.log import ids
from services.replay.archive import Archive, DamagedFile

Recorded = archive_pb.RecordedRuling
FORM: Final = 1
CHANGING: Final = (pb.Ruling.KIND_VOID, pb.Ruling.KIND_ADJUDICATE)
"""Kinds that change what a match counts as: the last one holds."""
_log = structlog.get_logger()
_TOP: Final = "rulings/"
_SUFFIX: Final = ".ruling"


def path_of(match: bytes, stored_request_id: bytes) -> str:
    """Where the ruling that this request asked for is."""
    return f"{_folder(match)}{stored_request_id.hex()}{_SUFFIX}"


async def find(archive: Archive, match: bytes, stored_request_id: bytes) -> Recorded | None:
    """The ruling that this request became; None for none. Raises Unavailable, DamagedFile."""
    data = await archive.get(path_of(match, stored_request_id))
    return None if data is None else _parsed(data, match)


async def write(archive: Archive, match: bytes, recorded: Recorded) -> Recorded:
    """Keeps a ruling; the one that is kept, where the same request was faster. Raises Unavailable, DamagedFile."""
    path = path_of(match, recorded.stored_request_id)
    if await archive.create(path, recorded.SerializeToString(deterministic=True)):
        return recorded
    return await find(archive, match, recorded.stored_request_id) or recorded


async def on(archive: Archive, match: bytes) -> list[Recorded]:
    """All rulings on a match, in their order. Raises Unavailable, DamagedFile."""
    found = list[Recorded]()
    async for path in archive.paths(_folder(match)):
        data = await archive.get(path)
        if data is not None and path.endswith(_SUFFIX):
            found.append(_parsed(data, match))
    return sorted(found, key=order)


async def all_of(archive: Archive) -> AsyncIterator[Recorded]:
    """Every ruling on any match; of damaged ones the log tells: the others count. Raises Unavailable."""
    async for path in archive.paths(_TOP):
        data = await archive.get(path)
        if data is not None and path.endswith(_SUFFIX):
            try:
                recorded = _parsed(data)
            except DamagedFile:
                _log.error("ruling_not_read", path=path)
            else:
                yield recorded


async def is_disclosed(archive: Archive, match: bytes) -> bool:
    """Whether a host has disclosed the match. Raises Unavailable, DamagedFile."""
    return any(ruling_of(recorded).kind == pb.Ruling.KIND_DISCLOSE for recorded in await on(archive, match))


def ruling_of(recorded: Recorded) -> pb.Ruling:
    """What was decided."""
    return pb.Ruling.FromString(recorded.ruling.ruling)


def order(recorded: Recorded) -> tuple[int, bytes]:
    """By which the rulings on a match stand one after another: the same for everybody."""
    return ruling_of(recorded).rule_time_ms, recorded.stored_request_id


def _folder(match: bytes) -> str:
    return f"{_TOP}{match[0]:02x}/{match[1]:02x}/{ids.to_text(match)}/"


def _parsed(data: bytes, match: bytes | None = None) -> Recorded:
    try:
        recorded = Recorded.FromString(data)
        ruling = ruling_of(recorded)
    except DecodeError:
        raise DamagedFile("a ruling cannot be read") from None
    if recorded.form != FORM or match not in (None, ruling.match):
        raise DamagedFile("a ruling is of another form or match")
    return recorded
