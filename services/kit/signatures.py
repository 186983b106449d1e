"""What the platform signs, to the byte (CHAIN.md, "Signatures"), and the leaves that signed things have in the log."""

import hashlib
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

REFUSAL: Final = b"argosy.refusal.v1"
RESULT: Final = b"argosy.result.v1"
RULING: Final = b"argosy.ruling.v1"
LOG_KEY: Final = b"argosy.log-key.v1"

LEAF_TYPES: Final = {RESULT: 1, RULING: 2, LOG_KEY: 4}
"""The type byte of a leaf, by what it is about. 3 is reserved for the creation of a match."""


def receipt_message(root: bytes) -> bytes:
    """What a receipt's signature covers: the root of a pipeline's new heads."""
    return b"argosy.receipt.v1" + root


def message(context: bytes, signed: bytes) -> bytes:
    """What the signature of a serialized object covers."""
    return context + hashlib.sha256(signed).digest()


def leaf(context: bytes, signed: bytes) -> bytes:
    """The object's leaf in the transparency log: 33 bytes."""
    return bytes((LEAF_TYPES[context],)) + hashlib.sha256(message(context, signed)).digest()


def is_signed(public: bytes, signature: bytes, signed: bytes) -> bool:
    """Whether this is the Ed25519 signature of these bytes by the key of 32 bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True
