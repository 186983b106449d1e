"""The transparency log: grows in one process, is read and proven in all.

The files are the log; what is in memory is read from them. The checkpoint is written last, so what a checkpoint covers
is there, and what was written before a crash and is not covered is written over.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from argosy.v1 import replay_service_pb2 as pb

from services.kit import checkpoints, signatures
from services.kit.checkpoints import Checkpoint
from services.kit.errors import Reason, Refused
from services.kit.keys import SigningKey
from services.kit.merkle import Tree, leaf_hash
from services.replay.archive import Archive, DamagedFile
from services.replay.transparency import tiles


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The key for checkpoints, and the key for what they cover."""

    log: SigningKey
    receipt: SigningKey


class TransparencyLog:
    """The tree and its files. `origin` is the log's name, for good; "" for one after its first key.

    In memory: about 200 bytes a leaf, so a log of a million matches takes 200 MB.
    """

    def __init__(self, archive: Archive, keys: LogKeys, origin: str = "") -> None:
        self.keys = keys
        self._archive, self._origin = archive, origin or f"argosy-log-{keys.log.id}"
        self._leaves: list[bytes] = []
        self._index: dict[bytes, int] = {}
        self._tree, self._note, self._size = Tree(), "", 0
        self._reading = asyncio.Lock()

    def __len__(self) -> int:
        """How many leaves the last checkpoint covers."""
        return self._size

    @property
    def checkpoint(self) -> str:
        """The last signed tree head; "" for a log that has none yet."""
        return self._note

    async def refresh(self) -> None:
        """Reads what another process has written. Raises DamagedFile where tree and checkpoint disagree."""
        async with self._reading:
            await self._refresh()

    async def append(self, leaves: Sequence[bytes]) -> None:
        """Appends the leaves that are not there yet, and publishes a checkpoint. One process at a time may call it."""
        async with self._reading:
            await self._refresh()
            fresh = list(dict.fromkeys(leaf for leaf in leaves if leaf not in self._index))
            if not fresh and self._note:
                return
            old = len(self._leaves)
            self._take(fresh)
            try:
                await self._write_tiles(old)
                head = Checkpoint(self._origin, len(self._leaves), self._tree.root())
                note = checkpoints.sign(head, self.keys.log)
                await self._archive.put(tiles.CHECKPOINT, note.encode())
            except BaseException:  # nobody knows what is written: begin again from the files
                self._forget()
                raise
            self._note, self._size = note, head.size

    def index(self, leaf: bytes) -> int | None:
        """The leaf's number; None for one that the last checkpoint does not cover."""
        index = self._index.get(leaf)
        return index if index is not None and index < self._size else None

    def inclusion(self, leaf: bytes) -> pb.LogProof | None:
        """The proof that the last checkpoint covers the leaf; None where it does not."""
        index = self.index(leaf)
        if index is None:
            return None
        path = self._tree.inclusion(index, self._size)
        return pb.LogProof(leaf=leaf, index=index, path=path, checkpoint=self._note)

    def consistency(self, old: int, size: int) -> list[bytes]:
        """The proof that the tree of `size` leaves begins with that of `old`. Refuses INVALID_REQUEST."""
        if not 0 < old <= size <= len(self):
            text = f"sizes are from 1 to {len(self)}, the old one first"
            raise Refused(Reason.ERROR_REASON_INVALID_REQUEST, text, field="from_size", problem=text)
        return self._tree.consistency(old, size)

    def root(self, size: int) -> bytes:
        """The root of the tree of the first `size` leaves."""
        return self._tree.root(size)

    async def _refresh(self) -> None:
        data = await self._archive.get(tiles.CHECKPOINT)
        note = data.decode() if data is not None else ""
        if note == self._note:
            return
        try:
            head = checkpoints.read(note)
            self._take(await self._entries(head.size))
        except ValueError as error:
            self._forget()
            raise DamagedFile(f"the transparency log cannot be read: {error}") from None
        if (len(self._leaves), self._tree.root()) != (head.size, head.root):
            self._forget()
            raise DamagedFile("the transparency log is not what its checkpoint says")
        self._origin, self._note, self._size = head.origin, note, head.size

    async def _entries(self, size: int) -> list[bytes]:
        """The leaves from the first one not read yet."""
        leaves, known = list[bytes](), len(self._leaves)
        for number, width in tiles.spans(known, size):
            data = await self._archive.get(tiles.path(tiles.ENTRIES, number, width))
            if data is None:  # a full bundle takes the place of its partial ones
                data = await self._archive.get(tiles.path(tiles.ENTRIES, number))
            if data is None:
                raise ValueError(f"bundle {number} is missing")
            leaves += tiles.unbundle(data)[max(known - number * tiles.WIDTH, 0) : width]
        return leaves

    def _take(self, leaves: Sequence[bytes]) -> None:
        for leaf in leaves:
            self._index[leaf] = len(self._leaves)
            self._leaves.append(leaf)
            self._tree.append(leaf_hash(leaf))

    def _forget(self) -> None:
        self._leaves, self._index = [], {}
        self._tree, self._note, self._size = Tree(), "", 0

    async def _write_tiles(self, old: int) -> None:
        new, level = len(self._leaves), 0
        for number, width in tiles.spans(old, new):
            start = number * tiles.WIDTH
            await self._put_tile(tiles.ENTRIES, number, width, tiles.bundle(self._leaves[start : start + width]))
        while new:
            for number, width in tiles.spans(old, new):
                hashes = self._tree.hashes(8 * level, number * tiles.WIDTH, width)
                await self._put_tile(level, number, width, b"".join(hashes))
            old, new, level = old // tiles.WIDTH, new // tiles.WIDTH, level + 1

    async def _put_tile(self, level: int | str, number: int, width: int, data: bytes) -> None:
        await self._archive.put(tiles.path(level, number, width), data)


def key_leaf(key: pb.PlatformKey) -> bytes:
    """The leaf of a key of the platform."""
    return signatures.leaf(signatures.LOG_KEY, key.SerializeToString(deterministic=True))


def public_key(key: SigningKey) -> pb.PlatformKey:
    """The public half of a key, as the log records it."""
    raw = key.private.public_key().public_bytes_raw()
    return pb.PlatformKey(id=key.id, use=key.use, key=raw, create_time_ms=key.create_ms)
