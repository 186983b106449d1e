import hashlib
from collections.abc import Callable, Sequence

import pytest
from argosy.client import ids
from argosy.client.chain import receipt_root
from argosy.client.receipts import check_receipt
from argosy.v1 import match_service_pb2 as match_pb2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

MATCH = "matches/0123456789abcdefghjkmnpqrs"
HEAD = match_pb2.Head(version=7, digest=bytes(range(32)))
KEY = Ed25519PrivateKey.generate()
KEYS = {"k": KEY.public_key().public_bytes_raw()}


def tree(leaves: Sequence[bytes]) -> tuple[bytes, list[list[bytes]]]:
    """RFC 9162, section 2.1.1: the root, and the inclusion path of each leaf."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest(), [[]]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    left, paths = tree(leaves[:half])
    right, more = tree(leaves[half:])
    root = hashlib.sha256(b"\1" + left + right).digest()
    return root, [[*p, right] for p in paths] + [[*p, left] for p in more]


@pytest.mark.parametrize("size", range(1, 14))
def test_every_path_leads_to_the_root(size: int) -> None:
    leaves = [bytes([i]) for i in range(size)]
    root, paths = tree(leaves)
    for index, path in enumerate(paths):
        assert receipt_root(leaves[index], index, size, path) == root
        if size > 1:
            assert receipt_root(leaves[index - 1], index, size, path) != root
        with pytest.raises(ValueError, match="path is too"):
            receipt_root(leaves[index], index, size, [*path, root])


def receipt() -> match_pb2.Receipt:
    leaves = [b"a" * 56, ids.raw_id(MATCH) + (7).to_bytes(8) + HEAD.digest, b"c" * 56]
    root, paths = tree(leaves)
    signature = KEY.sign(b"argosy.receipt.v1" + root)
    return match_pb2.Receipt(leaf=leaves[1], index=1, size=3, path=paths[1], root=root, signature=signature, key_id="k")


def test_a_true_receipt_is_accepted() -> None:
    check_receipt(receipt(), MATCH, HEAD, KEYS)


def of_another_entry(made: match_pb2.Receipt) -> None:
    made.leaf = made.leaf[:-1] + b"\0"


def of_another_root(made: match_pb2.Receipt) -> None:
    made.root = bytes(32)


def of_another_place(made: match_pb2.Receipt) -> None:
    made.index = 0


def of_another_key(made: match_pb2.Receipt) -> None:
    made.key_id = "other"


def of_another_signer(made: match_pb2.Receipt) -> None:
    made.signature = Ed25519PrivateKey.generate().sign(b"argosy.receipt.v1" + made.root)


@pytest.mark.parametrize(
    "alter", [of_another_entry, of_another_root, of_another_place, of_another_key, of_another_signer]
)
def test_a_receipt_of_something_else_is_refused(alter: Callable[[match_pb2.Receipt], None]) -> None:
    made = receipt()
    alter(made)
    with pytest.raises(ValueError, match="receipt"):
        check_receipt(made, MATCH, HEAD, KEYS)
