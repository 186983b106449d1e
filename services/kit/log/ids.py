"""Ids and digests of requests, to the byte as CHAIN.md ("Ids", "Fields") says."""

import base64
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

SIZE: Final = 16
ZERO: Final = bytes(SIZE)
"""The platform's own player and request id; as a stored request id it is never a duplicate."""

Kind = Literal["create", "join", "ready", "leave", "resign", "action", "abort", "rule"]
# How many byte strings make the body of each kind of request.
_BODY: Final[dict[Kind, int]] = {
    "create": 3,
    "join": 1,
    "ready": 1,
    "leave": 0,
    "resign": 0,
    "action": 2,
    "abort": 2,
    "rule": 3,
}

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_VALUES: Final = {letter: value for value, letter in enumerate(_ALPHABET)}
_CROCKFORD: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", _ALPHABET.encode())
_LENGTH: Final = 26


def to_text(value: bytes) -> str:
    """The id as 26 characters of Crockford base 32 in lower case, two zero bits padded in front."""
    if len(value) != SIZE:
        raise ValueError(f"an id has {SIZE} bytes, not {len(value)}")
    # The standard library's base 32 of 20 bytes has 32 letters, of which the last 26 hold our 16 bytes.
    return base64.b32encode(bytes(4) + value)[-_LENGTH:].translate(_CROCKFORD).decode()


@lru_cache(16_384)  # of a match that is played each request names it anew
def from_text(text: str) -> bytes:
    """The 16 bytes. Raises ValueError for anything but the form that `to_text` gives: no capitals, no look-alikes."""
    if len(text) != _LENGTH:
        raise ValueError(f"an id has {_LENGTH} characters")
    number = 0
    for letter in text:
        if letter not in _VALUES:
            raise ValueError("an id has digits and lower case letters without i, l, o and u")
        number = number << 5 | _VALUES[letter]
    if number >> 8 * SIZE:
        raise ValueError("an id begins with a digit from 0 to 7")
    return number.to_bytes(SIZE)


def match_id(creator: bytes, request_id: bytes) -> bytes:
    """The id of the match that this player's request creates, so that a retried creation finds itself."""
    digest = hashlib.sha256(b"argosy.create.v1" + creator + request_id).digest()
    return digest[15:16] + digest[:15]


def tickets_request_id(tickets: Iterable[bytes]) -> bytes:
    """The request id by which matchmaking creates the match of these tickets, in whatever order they come."""
    return hashlib.sha256(b"argosy.tickets.v1" + b"".join(sorted(tickets))).digest()[:SIZE]


def stored_request_id(player: bytes, request_id: bytes) -> bytes:
    """What an entry keeps of a player's request id. Where the platform acts it is ZERO instead."""
    return hashlib.sha256(player + request_id).digest()[:SIZE]


def request_digest(kind: Kind, match: bytes, *body: bytes) -> bytes:
    """The digest by which a request id used again with another request is found out.

    The body is, for "create", the game's id, settings and options as received; for "join" and "ready" the 32
    contributed bytes or b""; for "action" its full type name and bytes as received; for "leave" and "resign" nothing;
    for "abort" the outcome's name without its prefix and the reason; for "rule" the name of the ruling's kind without
    its prefix, the scores as doubles of 8 bytes, big-endian, and the reason.
    """
    if len(body) != _BODY[kind]:
        raise ValueError(f"the body of {kind} has {_BODY[kind]} parts, not {len(body)}")
    parts = (kind.encode(), match, *body)
    return hashlib.sha256(b"".join(len(part).to_bytes(4) + part for part in parts)).digest()
