"""What the platform signed: result, log, receipts and refusals."""

from collections.abc import Mapping

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from gateway.cli.verify.keys import Keys
from gateway.cli.verify.report import Impossible, Wrong
from services.kit import checkpoints, signatures
from services.kit.merkle import root_of_inclusion


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
    return require_proof(export.proof, signatures.leaf(signatures.RESULT, export.result.summary), keys)


def require_proof(proof: pb.LogProof, leaf: bytes, keys: Keys) -> str:
    """That a leaf stands in the log. Raises Wrong, and Impossible for a log whose key nobody vouches for."""
    if proof.leaf != leaf:
        raise Wrong(0, "the leaf is not that of what was signed")
    try:
        head = checkpoints.read(proof.checkpoint)
        root = root_of_inclusion(proof.leaf, proof.index, head.size, proof.path)
    except ValueError as error:
        raise Wrong(0, f"the proof cannot be read: {error}") from None
    if root != head.root:
        raise Wrong(0, "the path does not lead to the signed root")
    return keys.require_head(proof.checkpoint, f"leaf {proof.index} of {head.size} in {head.origin}")


def check_receipts(export: pb.Export, digests: Mapping[int, bytes], keys: Keys) -> str:
    """Each receipt is of an entry of this history, or of one after a file that ends early."""
    if not export.receipts:
        raise Impossible("the file bears none")
    later = 0
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
        if is_later(export, version):
            later += 1
        elif version not in digests:
            raise Wrong(version, "the platform has signed an entry that this history does not have")
        elif digests[version] != digest:
            raise Wrong(version, "the platform has signed another entry here")
    told = [(r.key_id, r.signature, signatures.receipt_message(r.root)) for r in export.receipts]
    return _all_signed(told, keys) + (f", {later} of them for entries after this file's last" if later else "")


def is_later(export: pb.Export, version: int) -> bool:
    """Whether the version comes after the file's last entry, in a file that ends before the match does."""
    entries = export.opened or export.entries
    if not entries:
        return True
    try:
        is_over = entry_pb2.EntryPart.FromString(entries[-1].public_part).HasField("end")
    except DecodeError:
        return False
    return not is_over and version > entries[-1].version


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
    """All hold. One that fails counts more than one whose signer is unknown."""
    unknown = list[Impossible]()
    for key, signature, message in told:
        try:
            keys.require(key, signature, message)
        except Impossible as impossible:
            unknown.append(impossible)
    if unknown:
        raise unknown[0]
    return f"{len(told)}"


def _last(export: pb.Export) -> int:
    return len(export.opened) or len(export.entries)
