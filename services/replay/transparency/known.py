"""The platform's public keys, of all gateways and of replay, as files beside the archive.

A gateway tells its keys, and those that it has learned of others, when it starts and now and then; what was told once
is kept, so the history of keys stays whole after a rotation.
"""

import hashlib
import time
from collections.abc import Sequence
from typing import Final

from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from services.kit.errors import invalid
from services.kit.keys import USES
from services.replay.archive import Archive
from services.replay.transparency import tiles

_EVERY_S: Final = 5.0
_KEY_BYTES: Final = 32


class KnownKeys:
    """The keys that are to stand in the log: this process's own, and what is kept."""

    def __init__(self, archive: Archive, own: Sequence[pb.PlatformKey]) -> None:
        self._archive, self._own, self._read = archive, own, 0.0
        self._keys = {key.id: key for key in own}
        self._kept = set[str]()

    @property
    def all(self) -> list[pb.PlatformKey]:
        """The keys known by now, oldest first."""
        return sorted(self._keys.values(), key=lambda key: (key.create_time_ms, key.id))

    async def refresh(self) -> list[pb.PlatformKey]:
        """The keys, with what other processes have kept meanwhile; read at most every five seconds."""
        now = time.monotonic()
        if not self._read or now - self._read >= _EVERY_S:
            async for path in self._archive.paths(f"{tiles.KEYS}/"):
                await self._take(path)
            self._read = now
        return self.all

    async def keep_own(self) -> None:
        """Keeps this process's own keys, for the time when it has others."""
        await self.record(self._own)

    async def record(self, keys: Sequence[pb.PlatformKey]) -> None:
        """Keeps keys that a gateway tells. Refuses INVALID_REQUEST for what is none."""
        for key in keys:
            check(key)
            if key.id not in self._kept:
                path = f"{tiles.KEYS}/{key.id}"
                await self._archive.create(path, key.SerializeToString(deterministic=True))
                await self._take(path)  # the first telling holds

    async def _take(self, path: str) -> None:
        data = await self._archive.get(path)
        try:
            key = pb.PlatformKey.FromString(data or b"")
        except DecodeError:  # damaged: whose key it is tells it again
            return
        if data and path == f"{tiles.KEYS}/{key.id}":
            self._keys.setdefault(key.id, key)
            self._kept.add(key.id)


def check(key: pb.PlatformKey) -> None:
    """Refuses what is no key of the platform."""
    named = hashlib.sha256(key.key).digest()[:8].hex()
    if key.use not in USES or len(key.key) != _KEY_BYTES or key.id != named or key.create_time_ms <= 0:
        raise invalid("keys", "must be keys of the platform, each under its own id")
