"""What is not recorded: entries beyond the limits, of which the last is kept for the end of the match."""

import pytest
from argosy.v1 import entry_pb2

from services.kit.parts import Sealed
from services.match.recording import exceeded

OPEN, END = entry_pb2.EntryPart(), entry_pb2.EntryPart(end=entry_pb2.End())


@pytest.mark.parametrize(
    ("version", "size", "part", "limit"),
    [
        (1, 16_384, OPEN, ""),
        (1, 16_385, OPEN, "entry"),
        (4_999, 10, OPEN, ""),
        (5_000, 10, OPEN, "history"),
        (5_000, 10, END, ""),
        (5_001, 10, END, "history"),
    ],
)
def test_the_last_entry_is_kept_for_the_end(version: int, size: int, part: entry_pb2.EntryPart, limit: str) -> None:
    assert exceeded(Sealed(version, bytes(32), bytes(size), b"", ()), part) == limit
