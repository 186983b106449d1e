"""Receipts: proof, signed by the platform, that an entry was recorded (CHAIN.md, "Signatures").

Needs the package `cryptography`: `pip install argosy-client[receipts]`.
"""

import hashlib
from collections.abc import Mapping

from argosy.client import chain, ids
from argosy.v1 import game_service_pb2 as game_pb2
from argosy.v1 import match_service_pb2 as match_pb2


def receipt_keys(platform: game_pb2.GetPlatformResponse) -> dict[str, bytes]:
    """The platform's keys for receipts by id, as `Client.platform` tells them. Keep those that one trusts."""
    return {k.id: k.key for k in platform.public_keys if k.use == game_pb2.GetPlatformResponse.PublicKey.USE_RECEIPT}


def check_receipt(receipt: match_pb2.Receipt, match: str, head: match_pb2.Head, keys: Mapping[str, bytes]) -> None:
    """Raises ValueError unless the receipt proves that the match has this version with this digest.

    Only `keys` are trusted, Ed25519 keys of 32 bytes by id.
    """
    if receipt.leaf != ids.raw_id(match) + head.version.to_bytes(8) + head.digest:
        raise ValueError("the receipt is for another entry")
    if chain.receipt_root(receipt.leaf, receipt.index, receipt.size, receipt.path) != receipt.root:
        raise ValueError("the receipt's path does not lead to its root")
    _verify("receipt", receipt.key_id, keys, receipt.signature, b"argosy.receipt.v1" + receipt.root)


def check_refusal(signed: match_pb2.SignedRefusal, match: str, keys: Mapping[str, bytes]) -> match_pb2.Refusal:
    """The refusal. Raises ValueError unless it is of this match and signed with one of `keys`."""
    _verify(
        "refusal", signed.key_id, keys, signed.signature, b"argosy.refusal.v1" + hashlib.sha256(signed.refusal).digest()
    )
    refusal = match_pb2.Refusal.FromString(signed.refusal)
    if refusal.match != ids.raw_id(match):
        raise ValueError("the refusal is of another match")
    return refusal


def _verify(what: str, key_id: str, keys: Mapping[str, bytes], signature: bytes, message: bytes) -> None:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # an optional dependency
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415  # likewise

    if key_id not in keys:
        raise ValueError(f"the {what} is signed with key {key_id!r}, which is not one of those given")
    try:
        Ed25519PublicKey.from_public_bytes(keys[key_id]).verify(signature, message)
    except InvalidSignature:
        raise ValueError(f"the {what}'s signature is not by that key") from None
