"""What the platform signed: result, log, receipts, refusals, rulings; and who vouches for its keys."""

import hashlib
import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from gateway.cli.verify.report import Impossible, Wrong
from services.kit import checkpoints, signatures
from services.kit.merkle import root_of_inclusion


@dataclass(frozen=True, slots=True)
class Keys:
    """Public keys by id. `trusted` are those that the reader was given elsewhere; None where there are none."""

    told: Mapping[str, bytes]
    trusted: Mapping[str, bytes] | None

    def require(self, key_id: str, signature: bytes, message: bytes, version: int = 0) -> str:
        """Who signed. Raises Wrong for a bad signature or signer, Impossible for one that nobody vouches for."""
        known = self.told if self.trusted is None else self.trusted
        if key_id not in known:
            if self.trusted is not None:
                raise Wrong(version, f"it is signed by {key_id}, which is not one of the keys given")
            raise Impossible(f"it is signed by {key_id}, which is unknown")
        if not signatures.is_signed(known[key_id], signature, message):
            raise Wrong(version, f"the signature is not by {key_id}")
        if self.trusted is None:
            raise Impossible(f"it is signed by {key_id}, a key that only the file vouches for")
        return f"by {key_id}"


def keys_of(export: pb.Export, trusted: Path | None) -> Keys:
    """The file's keys, whose ids must be theirs, and those given. Raises ValueError for a bad file of keys."""
    told = {key.id: key.key for key in export.keys if key_id(key.key) == key.id}
    return Keys(told, None if trusted is None else read_keys(trusted))


def read_keys(path: Path) -> dict[str, bytes]:
    """A JSON file `{"keys": [{"key": "<base64 of 32 bytes>"}]}`. Raises ValueError."""
    try:
        raw = [b64decode(item["key"], validate=True) for item in json.loads(path.read_text())["keys"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no file of keys") from None
    if any(len(key) != 32 for key in raw):
        raise ValueError(f"{path} holds a key that has not 32 bytes")
    return {key_id(key): key for key in raw}


def key_id(key: bytes) -> str:
    """The id of a key."""
    return hashlib.sha256(key).digest()[:8].hex()


def check_signature(export: pb.Export, keys: Keys) -> str:
    """The signature of the result."""
    if not export.HasField("result"):
        raise Impossible("the file bears no signed result")
    result = export.result
    return keys.require(
        result.key_id, result.signature, signatures.message(signatures.RESULT, result.summary), _last(export)
    )


def check_inclusion(export: pb.Export, keys: Keys) -> str:
    """The result stands in the transparency log, whose tree head is signed."""
    if not export.HasField("proof") or not export.HasField("result"):
        raise Impossible("the file bears no proof: exported before the log had the result")
    proof = export.proof
    if proof.leaf != signatures.leaf(signatures.RESULT, export.result.summary):
        raise Wrong(0, "the leaf is not that of the result")
    try:
        head = checkpoints.read(proof.checkpoint)
        root = root_of_inclusion(proof.leaf, proof.index, head.size, proof.path)
    except ValueError as error:
        raise Wrong(0, f"the proof cannot be read: {error}") from None
    if root != head.root:
        raise Wrong(0, "the path does not lead to the signed root")
    known = keys.told if keys.trusted is None else keys.trusted
    if not any(checkpoints.is_signed(proof.checkpoint, key) for key in known.values()):
        raise Wrong(0, "the tree head is not signed by a key given")
    if keys.trusted is None:
        raise Impossible(f"leaf {proof.index} of {head.size} in {head.origin}, by a key that only the file vouches for")
    return f"leaf {proof.index} of {head.size} in {head.origin}"


def check_receipts(export: pb.Export, digests: Mapping[int, bytes], keys: Keys) -> str:
    """Each receipt is of an entry of this history."""
    if not export.receipts:
        raise Impossible("the file bears none")
    for receipt in export.receipts:
        match, version, digest = receipt.leaf[:16], int.from_bytes(receipt.leaf[16:24]), receipt.leaf[24:]
        if len(receipt.leaf) != 56 or match != export.match:
            raise Wrong(0, "a receipt is of another match")
        try:
            root = root_of_inclusion(receipt.leaf, receipt.index, receipt.size, receipt.path)
        except ValueError as error:
            raise Wrong(version, str(error)) from None
        if root != receipt.root:
            raise Wrong(version, "the receipt's path does not lead to its root")
        if version not in digests:
            raise Wrong(version, "the platform has signed an entry that this history does not have")
        if digests[version] != digest:
            raise Wrong(version, "the platform has signed another entry here")
    return _all_signed([(r.key_id, r.signature, signatures.receipt_message(r.root)) for r in export.receipts], keys)


def check_refusals(export: pb.Export, digests: Mapping[int, bytes], keys: Keys) -> str:
    """Each refusal is of this match, and of a head that it had."""
    if not export.refusals:
        raise Impossible("the file bears none")
    for signed in export.refusals:
        try:
            refusal = match_pb.Refusal.FromString(signed.refusal)
        except DecodeError:
            raise Wrong(0, "a refusal cannot be read") from None
        if refusal.match != export.match:
            raise Wrong(0, "a refusal is of another match")
        head = refusal.head
        if refusal.HasField("head") and digests.get(head.version, head.digest) != head.digest:
            raise Wrong(head.version, "the platform refused on another history than this")
    told = [(r.key_id, r.signature, signatures.message(signatures.REFUSAL, r.refusal)) for r in export.refusals]
    return _all_signed(told, keys)


def _all_signed(told: list[tuple[str, bytes, bytes]], keys: Keys) -> str:
    for key, signature, message in told:
        keys.require(key, signature, message)
    return f"{len(told)}"


def _last(export: pb.Export) -> int:
    return len(export.opened) or len(export.entries)
