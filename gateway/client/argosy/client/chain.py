"""The formulas of the chain, to the byte as CHAIN.md states them; nothing here trusts a server.

Whoever verifies a history needs no more than these functions and the bytes it received.
"""

import hashlib
import hmac
from collections.abc import Sequence

SIZE = 32
"""Bytes of a digest, a commitment, a salt, a seed."""
NONE = bytes(SIZE)
"""Stands in a list of commitments where the viewer has the part itself."""


def first_digest(match: bytes) -> bytes:
    """digest(0): what the first entry of the match (16 bytes of its id) chains onto."""
    return hashlib.sha256(b"argosy.match.v1" + match).digest()


def digest(previous: bytes, version: int, public_part: bytes, commitments: Sequence[bytes]) -> bytes:
    """The digest of an entry, from the digest before it, the public part and the commitments to all sealed parts."""
    return hashlib.sha256(
        b"".join(
            (
                b"argosy.entry.v1",
                previous,
                version.to_bytes(8),
                len(public_part).to_bytes(4),
                public_part,
                len(commitments).to_bytes(4),
                *commitments,
            )
        )
    ).digest()


def commitment(salt: bytes, part: bytes) -> bytes:
    """The commitment to a sealed part, also to an empty one."""
    return hashlib.sha256(b"argosy.seal.v1" + salt + part).digest()


def salt(seed: bytes, version: int, index: int) -> bytes:
    """The salt of sealed part `index` of entry `version`, once the seed is known."""
    return hmac.digest(seed, b"argosy.salt.v1" + version.to_bytes(8) + index.to_bytes(4), "sha256")


def seed_commitment(match: bytes, seed: bytes) -> bytes:
    """What entry 1 publishes of the seed before any seat is taken."""
    return hashlib.sha256(b"argosy.seed.v1" + match + seed).digest()


def contribution(secret: bytes) -> bytes:
    """The 32 bytes that a client sends towards a match's chance: nobody knows its secret before."""
    return hashlib.sha256(secret).digest()


def receipt_root(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root that an inclusion path leads to (RFC 9162, section 2.1.3.2). Raises ValueError for an ill-formed one."""
    if not 0 <= index < size:
        raise ValueError("the leaf's index is not below the number of leaves")
    node, last, found = index, size - 1, hashlib.sha256(b"\0" + leaf).digest()
    for sibling in path:
        if last == 0:
            raise ValueError("the path is too long")
        if node & 1 or node == last:
            found = hashlib.sha256(b"\1" + sibling + found).digest()
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\1" + found + sibling).digest()
        node, last = node >> 1, last >> 1
    if last:
        raise ValueError("the path is too short")
    return found
