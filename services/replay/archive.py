"""The archive: one file for each history that has ended, in a folder or an object store.

The form of a file is `argosy.internal.v1.ArchivedHistory`, compressed. What is read is checked to the byte against its
own chain before anybody gets it; a file that was written by half, or changed, reads as a DamagedFile.
"""

import asyncio
import hmac
import os
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import obstore
import zstandard
from argosy.internal.v1 import archive_service_pb2 as archive_pb
from google.protobuf.message import DecodeError
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from services.kit import chain, parts
from services.kit.log import ids
from services.kit.log.entries import HEAD_SIZE, Entry, Unavailable
from services.kit.startup import CannotStart

if TYPE_CHECKING:
    from obstore.store import RetryConfig

_FORM: Final = 1
_SUFFIX: Final = ".history.zst"
_MOST_BYTES: Final = 128 * 1024 * 1024  # 5,000 entries of 16 KiB, and some
_DEADLINE_S: Final = 30.0
_PATIENCE: Final["RetryConfig"] = {"max_retries": 3, "retry_timeout": timedelta(seconds=3)}
"""Whoever asks for a replay is told within seconds that the archive is away; what writes comes again by itself."""


class DamagedFile(Exception):
    """A file of the archive is not a whole history. Its text holds nothing of what is in it."""


class Archive:
    """Reads and writes files. Raises Unavailable where the store of files cannot be reached."""

    def __init__(self, store: ObjectStore, folder: Path | None) -> None:
        self._store, self._folder = store, folder

    async def write(self, match: bytes, entries: Sequence[Entry]) -> None:
        """Writes a history and reads it back. Raises DamagedFile when that gave something else."""
        path, data = path_of(match), encode(match, entries)
        await self.put(path, data)
        if await self._bytes(path) != data:
            raise DamagedFile("what was read back is not what was written")

    async def read(self, match: bytes) -> list[Entry] | None:
        """The whole history, checked; None where there is no file. Raises DamagedFile."""
        data = await self._bytes(path_of(match))
        return None if data is None else decode(match, data)

    async def put(self, path: str, data: bytes) -> None:
        """Writes a file beside the histories, to the disk."""
        try:
            async with asyncio.timeout(_DEADLINE_S):
                await obstore.put_async(self._store, path, data)
                if self._folder is not None:
                    await asyncio.to_thread(_flush, self._folder / path, self._folder)
        except (BaseError, OSError) as error:  # OSError includes asyncio's TimeoutError
            raise Unavailable("the archive cannot be written") from error

    async def create(self, path: str, data: bytes) -> bool:
        """Writes a file beside the histories, to the disk, unless there is one; whether there was none."""
        try:
            async with asyncio.timeout(_DEADLINE_S):
                await obstore.put_async(self._store, path, data, mode="create")
                if self._folder is not None:
                    await asyncio.to_thread(_flush, self._folder / path, self._folder)
        except AlreadyExistsError:
            return False
        except (BaseError, OSError) as error:
            raise Unavailable("the archive cannot be written") from error
        return True

    async def paths(self, folder: str) -> AsyncIterator[str]:
        """Every file beside the histories in a folder, which ends with a slash, and beneath."""
        try:
            async for found in self._store.list(folder, chunk_size=1000):
                for item in found:
                    yield item["path"]
        except (BaseError, OSError) as error:
            raise Unavailable("the archive cannot be listed") from error

    async def get(self, path: str) -> bytes | None:
        """A file beside the histories; None where there is none."""
        return await self._bytes(path)

    async def matches(self) -> AsyncIterator[bytes]:
        """Every match that has a file."""
        stream = self._store.list(chunk_size=1000)
        try:
            async for found in stream:
                for item in found:
                    match = _match_of(item["path"])
                    if match is not None:
                        yield match
        except (BaseError, OSError) as error:
            raise Unavailable("the archive cannot be listed") from error

    async def _bytes(self, path: str) -> bytes | None:
        try:
            async with asyncio.timeout(_DEADLINE_S):
                found = await obstore.get_async(self._store, path)
                return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise Unavailable("the archive cannot be read") from error


def open_archive(url: str | None, data: Path) -> Archive:
    """The archive at a URL, else in a folder of the data directory. Raises CannotStart."""
    parsed = urlsplit(url or "")
    if url and parsed.scheme not in ("file", "s3", "s3a", "gs", "az", "memory"):
        raise CannotStart("ARGOSY_ARCHIVE_URL must begin with s3://, gs://, az:// or file://")
    try:
        if not url or parsed.scheme == "file":
            folder = Path(unquote(parsed.path)) if url else data / "archive"
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return Archive(LocalStore(folder), folder)
        return Archive(from_url(url, retry_config=_PATIENCE), None)
    except (BaseError, OSError, ValueError) as error:
        raise CannotStart(f"ARGOSY_ARCHIVE_URL cannot be used: {type(error).__name__}") from None


def path_of(match: bytes) -> str:
    """Where the file of a match is: in one of 65,536 folders."""
    return f"{match[0]:02x}/{match[1]:02x}/{ids.to_text(match)}{_SUFFIX}"


def encode(match: bytes, entries: Sequence[Entry]) -> bytes:
    """A history as a file. The same history gives the same bytes."""
    raw = [archive_pb.RawEntry(h=entry.head, e=entry.body) for entry in entries]
    history = archive_pb.ArchivedHistory(form=_FORM, match=match, entries=raw)
    serialized = history.SerializeToString(deterministic=True)
    return zstandard.ZstdCompressor(level=9, write_checksum=True).compress(serialized)


def decode(match: bytes, data: bytes) -> list[Entry]:
    """The history in a file. Raises DamagedFile unless it is whole and chained from its first entry to its end."""
    try:
        serialized = _unpacked(data)
        history = archive_pb.ArchivedHistory.FromString(serialized)
    except (zstandard.ZstdError, DecodeError):
        raise DamagedFile("the file cannot be unpacked") from None
    if history.form != _FORM or history.match != match:
        raise DamagedFile("the file is of another form or match")
    entries = [Entry(version, raw.h, raw.e) for version, raw in enumerate(history.entries, 1)]
    try:
        check(match, entries)
    except parts.BadEntry as bad:
        raise DamagedFile(str(bad)) from None
    return entries


def _unpacked(data: bytes) -> bytes:
    """What was packed. Of a frame that says its size the library would take as much memory, whatever it says."""
    size = zstandard.frame_content_size(data)
    if size > _MOST_BYTES:
        raise DamagedFile("the file is larger than any history")
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=_MOST_BYTES)


def check(match: bytes, entries: Sequence[Entry]) -> None:
    """Checks that this is the whole history of a match that is over: dense, chained, its last entry the end.

    Request ids stand beside an entry and sealed in it, and must agree. Raises BadEntry.
    """
    seed, digest, whole = seed_of(entries), chain.first_digest(match), None
    for number, entry in enumerate(entries, 1):
        sealed = parts.opened(entry.version, entry.digest, entry.body)
        whole = parts.server_part(sealed)
        if entry.version != number or whole.version != number or len(entry.head) != HEAD_SIZE:
            raise parts.BadEntry(f"entry {number} is not in its place")
        if parts.chained(sealed, digest, seed) is None:
            raise parts.BadEntry(f"the chain is broken at version {number}")
        server = whole.server
        sealed_head = chain.field_h(
            entry.digest, server.stored_request_id or bytes(16), server.request_digest or bytes(32)
        )
        if not hmac.compare_digest(sealed_head, entry.head):
            raise parts.BadEntry(f"the request id of version {number} is another")
        digest = entry.digest
    if whole is None or not whole.HasField("end"):
        raise parts.BadEntry("the history does not end")


def seed_of(entries: Sequence[Entry]) -> bytes:
    """The seed, out of the first entry of a history. Raises BadEntry."""
    if not entries:
        raise parts.BadEntry("the history is empty")
    first = entries[0]
    return parts.server_part(parts.opened(first.version, first.digest, first.body)).server.seed


def _match_of(path: str) -> bytes | None:
    """The match of a file; None for what is no file of ours."""
    name = path.rpartition("/")[2]
    try:
        match = ids.from_text(name.removesuffix(_SUFFIX))
    except ValueError:
        return None
    return match if path == path_of(match) else None


def _flush(path: Path, top: Path) -> None:
    """Brings a file and the folders that name it to the disk: the store forgets the history after this."""
    for place in (path, *(folder for folder in path.parents if folder.is_relative_to(top))):
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
