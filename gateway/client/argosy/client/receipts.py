"""Receipts: proof, signed by the platform, that an entry was recorded (CHAIN.md, "Signatures").

Needs the package `cryptography`: `pip install argosy-client[receipts]`.
"""

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
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # an optional dependency
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415  # likewise

    if receipt.leaf != ids.raw_id(match) + head.version.to_bytes(8) + head.digest:
        raise ValueError("the receipt is for another entry")
    if chain.receipt_root(receipt.leaf, receipt.index, receipt.size, receipt.path) != receipt.root:
        raise ValueError("the receipt's path does not lead to its root")
    if receipt.key_id not in keys:
        raise ValueError(f"the receipt is signed with key {receipt.key_id!r}, which is not one of those given")
    try:
        Ed25519PublicKey.from_public_bytes(keys[receipt.key_id]).verify(
            receipt.signature, b"argosy.receipt.v1" + receipt.root
        )
    except InvalidSignature:
        raise ValueError("the receipt's signature is not by that key") from None
