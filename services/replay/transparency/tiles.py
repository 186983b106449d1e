"""The log's files, as C2SP tlog-tiles lays them out: tiles of 256 hashes, bundles of 256 entries, a checkpoint."""

from collections.abc import Iterator, Sequence
from typing import Final

WIDTH: Final = 256
CHECKPOINT: Final = "log/checkpoint"
KEYS: Final = "log/keys"
ENTRIES: Final = "entries"


def path(level: int | str, number: int, width: int = WIDTH) -> str:
    """Where a tile is (`level` "entries": a bundle of entries); a partial one has fewer than 256."""
    groups = [number % 1000]
    while number := number // 1000:
        groups.append(number % 1000)
    last, *higher = groups
    folders = "".join(f"x{group:03}/" for group in reversed(higher))
    partial = f".p/{width}" if width < WIDTH else ""
    return f"log/tile/{level}/{folders}{last:03}{partial}"


def spans(old: int, new: int) -> Iterator[tuple[int, int]]:
    """The tiles that change when a row of `old` grows to `new`: number and width of each."""
    for number in range(old // WIDTH, (new + WIDTH - 1) // WIDTH):
        width = min(new - number * WIDTH, WIDTH)
        if number * WIDTH + width > old:
            yield number, width


def bundle(entries: Sequence[bytes]) -> bytes:
    """Entries as a file: each with a length of two bytes before it."""
    return b"".join(len(entry).to_bytes(2) + entry for entry in entries)


def unbundle(data: bytes) -> list[bytes]:
    """The entries of a file. Raises ValueError for one that is cut off."""
    entries, at = list[bytes](), 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2])
        if end > len(data):
            raise ValueError("the bundle of entries is cut off")
        entries.append(data[at + 2 : end])
        at = end
    return entries
