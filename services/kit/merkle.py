"""Merkle trees as RFC 9162, section 2.1, hashes them: roots, inclusion and consistency proofs.

Leaves are bytes, hashes 32 bytes of SHA-256. A proof is a list of hashes, the one nearest the leaves first.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

EMPTY: Final = hashlib.sha256().digest()
"""The root of a tree without leaves."""


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\0" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of what two hashes stand for."""
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """A tree in memory, that grows. It keeps the hash of every complete subtree: 64 bytes a leaf."""

    def __init__(self, leaf_hashes: Sequence[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]  # [height][n]: the subtree over leaves n * 2^height and on
        for hashed in leaf_hashes:
            self.append(hashed)

    def __len__(self) -> int:
        return len(self._levels[0])

    def append(self, hashed: bytes) -> None:
        """One more leaf, by its hash."""
        height, level = 0, self._levels[0]
        level.append(hashed)
        while len(level) % 2 == 0:
            height += 1
            if height == len(self._levels):
                self._levels.append([])
            above = self._levels[height]
            above.append(node_hash(level[-2], level[-1]))
            level = above

    def root(self, size: int | None = None) -> bytes:
        """The root of the tree of the first `size` leaves, or of all."""
        size = self._checked(size)
        return self._subtree(0, size) if size else EMPTY

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The proof that leaf `index` is in the tree of the first `size` leaves. IndexError for one that is not."""
        size = self._checked(size)
        if not 0 <= index < size:
            raise IndexError(f"leaf {index} of {size}")
        path, start, end = list[bytes](), 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._subtree(middle, end))
                end = middle
            else:
                path.append(self._subtree(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, old: int, size: int | None = None) -> list[bytes]:
        """The proof that the tree of the first `size` leaves begins with that of the first `old`; 0 < old <= size."""
        size = self._checked(size)
        if not 0 < old <= size:
            raise IndexError(f"tree of {old} in {size}")
        path, start, end, is_whole = list[bytes](), 0, size, True
        while start + old != end:
            half = _split(end - start)
            if old <= half:
                path.append(self._subtree(start + half, end))
                end = start + half
            else:
                path.append(self._subtree(start, start + half))
                start, old, is_whole = start + half, old - half, False
        return [*([] if is_whole else [self._subtree(start, end)]), *path[::-1]]

    def hashes(self, height: int, start: int, count: int) -> list[bytes]:
        """Hashes of complete subtrees of 2^height leaves, from the one numbered `start`; fewer at the end."""
        return self._levels[height][start : start + count] if height < len(self._levels) else []

    def _checked(self, size: int | None) -> int:
        if size is None:
            return len(self)
        if not 0 <= size <= len(self):
            raise IndexError(f"a tree of {size} leaves, of {len(self)}")
        return size

    def _subtree(self, start: int, end: int) -> bytes:
        count = end - start
        height = count.bit_length() - 1
        if count == 1 << height:  # the way from the root makes `start` a multiple of it
            return self._levels[height][start >> height]
        middle = start + _split(count)
        return node_hash(self._subtree(start, middle), self._subtree(middle, end))


def root_of_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root to which an inclusion proof leads (RFC 9162, section 2.1.3.2). ValueError for one of a wrong form."""
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} of {size}")
    fn, sn, root = index, size - 1, leaf_hash(leaf)
    for step in path:
        if sn == 0:
            raise ValueError("the path is too long")
        if fn & 1 or fn == sn:
            root = node_hash(step, root)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            root = node_hash(root, step)
        fn, sn = fn >> 1, sn >> 1
    if sn:
        raise ValueError("the path is too short")
    return root


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """Whether the proof shows that the tree of `size` leaves begins with that of `old` (section 2.1.4.2)."""
    if not 0 < old <= size or (old == size) != (not path):
        return False
    if old == size:
        return old_root == root
    steps = list(path) if old & (old - 1) else [old_root, *path]
    fn, sn = old - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    first = second = steps[0]
    for step in steps[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            first, second = node_hash(step, first), node_hash(step, second)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            second = node_hash(second, step)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and first == old_root and second == root


def _split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1
