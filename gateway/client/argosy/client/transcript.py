"""What one viewer received of a match, as a digest that another reading of the same match has to give."""

import hashlib

from argosy.v1 import match_service_pb2 as match_pb2


class Transcript:
    """SHA-256 over every entry as received, in order, each serialized with its length (u32, big-endian) before it."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.entries = 0

    def add(self, entry: match_pb2.Entry) -> None:
        """The next entry: `Update.entry`."""
        data = entry.SerializeToString(deterministic=True)
        self._hash.update(len(data).to_bytes(4) + data)
        self.entries += 1

    @property
    def digest(self) -> str:
        """The digest so far, hexadecimal."""
        return self._hash.hexdigest()
