"""Parts of entries as viewers receive them: the bytes put together by hand are the message."""

import hashlib

import pytest
from argosy.v1 import match_service_pb2

from services.kit import parts

SEED = hashlib.sha256(b"seed").digest()


@pytest.mark.parametrize("seats", [(), (0,), (1,), (0, 1), (5,)])
@pytest.mark.parametrize("version", [1, 127, 128, 5000])
def test_seen_bytes_are_the_message(seats: tuple[int, ...], version: int) -> None:
    sealed = (b"", b"of seat 1" * 30, b"the server's")
    entry = parts.Sealed(version, bytes(range(32)), b"", b"public" * 20, sealed)
    read = match_service_pb2.Entry.FromString(parts.seen_bytes(entry, SEED, seats))
    assert read == parts.seen(entry, SEED, seats)
    assert len(read.own) == len([seat for seat in seats if seat < 2])
