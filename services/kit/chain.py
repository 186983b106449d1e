"""The chain: salts, commitments, digests, and the entropy of every draw, to the byte as CHAIN.md says.

Ids, digests, salts and commitments are raw bytes. Bytes are hashed as stored and never serialized anew.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from functools import lru_cache

DIGEST_SIZE = 32


def u32(n: int) -> bytes:
    """Four bytes, big-endian."""
    return n.to_bytes(4, "big")


def u64(n: int) -> bytes:
    """Eight bytes, big-endian."""
    return n.to_bytes(8, "big")


def seed_commitment(match: bytes, seed: bytes) -> bytes:
    """What entry 1 publishes of the seed."""
    return hashlib.sha256(b"argosy.seed.v1" + match + seed).digest()


def salt(seed: bytes, version: int, index: int) -> bytes:
    """The salt of the sealed part `index` of the entry `version`."""
    return _hmac(seed, b"argosy.salt.v1" + u64(version) + u32(index))


def commitment(salt_: bytes, part: bytes) -> bytes:
    """The commitment to a sealed part, also to an empty one."""
    return hashlib.sha256(b"argosy.seal.v1" + salt_ + part).digest()


def first_digest(match: bytes) -> bytes:
    """The digest before entry 1."""
    return hashlib.sha256(b"argosy.match.v1" + match).digest()


def next_digest(previous: bytes, version: int, public_part: bytes, commitments: Sequence[bytes]) -> bytes:
    """The digest of an entry."""
    return hashlib.sha256(
        b"argosy.entry.v1"
        + previous
        + u64(version)
        + u32(len(public_part))
        + public_part
        + u32(len(commitments))
        + b"".join(commitments)
    ).digest()


def commitments(seed: bytes, version: int, sealed_parts: Sequence[bytes]) -> list[bytes]:
    """The commitments to all sealed parts of an entry."""
    return [commitment(salt(seed, version, i), part) for i, part in enumerate(sealed_parts)]


def match_key(seed: bytes, contributions: Iterable[bytes]) -> bytes:
    """The key of all draws: the seed, and for each seat of the started match its 32 bytes or b"".

    Raises ValueError for a contribution of another length.
    """
    message = b"argosy.key.v1"
    for given in contributions:
        if len(given) not in (0, 32):
            raise ValueError(f"a contribution has 32 bytes or none, not {len(given)}")
        message += b"\x01" + given if given else b"\x00"
    return hmac.digest(seed, message, "sha256")


def start_entropy(key: bytes) -> bytes:
    """The entropy of the start."""
    return hmac.digest(key, b"argosy.start.v1", "sha256")


def decision_entropy(key: bytes, number: int) -> bytes:
    """The entropy of the game decision `number`, the first being 0."""
    return _hmac(key, b"argosy.decide.v1" + u64(number))


def _hmac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 (RFC 2104) under a key that comes again, as those of a match do: sooner than `hmac.digest`."""
    begun = _begun(key)
    inner, outer = begun[0].copy(), begun[1].copy()
    inner.update(message)
    outer.update(inner.digest())
    return outer.digest()


@lru_cache(8192)
def _begun(key: bytes) -> "tuple[hashlib._Hash, hashlib._Hash]":
    """SHA-256 after the padded key, as the inner and the outer hash begin. The key has at most 64 bytes."""
    padded = key.ljust(64, b"\0")
    return hashlib.sha256(bytes(b ^ 0x36 for b in padded)), hashlib.sha256(bytes(b ^ 0x5C for b in padded))


def field_h(digest: bytes, stored_request_id: bytes, request_digest: bytes) -> bytes:
    """The field `h` of a stored entry."""
    return digest + stored_request_id + request_digest
