"""Compares what two people received of one match, and what the platform signed for each."""

from collections.abc import Mapping, Sequence

from argosy.client import chain
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify.history import first_of
from gateway.cli.verify.keys import Keys
from gateway.cli.verify.report import Impossible, Wrong
from services.kit import chain as kit_chain
from services.kit import signatures
from services.kit.merkle import root_of_inclusion

_NAMES = ("the first file", "the second file")


def compare(one: pb.Export, other: pb.Export) -> str:
    """Where two files agree. Raises Wrong at the first version at which they differ, saying in what."""
    if one.match != other.match:
        raise Impossible("they are of two matches")
    ours, theirs = _digests(one), _digests(other)
    common = sorted(set(ours) & set(theirs))
    for version in common:
        if ours[version] != theirs[version]:
            raise Wrong(version, _difference(one, other, version))
    if not common:
        raise Impossible("they have no version in common")
    last = [max(ours), max(theirs)]
    if last[0] == last[1]:
        return f"the same to version {common[-1]}"
    longer = last.index(max(last))
    return f"the same to version {common[-1]}; {_NAMES[longer]} goes on to version {last[longer]}"


def find_equivocation(files: Sequence[pb.Export], keys: Sequence[Keys]) -> str:
    """Raises Wrong where a receipt in one file is for another entry than the other file has, or has a receipt for.

    Such a receipt proves by the platform's own signature that it told two stories of one match.
    """
    if files[0].match != files[1].match:
        raise Impossible("they are of two matches")
    told = [_digests(file) for file in files]
    signed = [_receipted(file, known) for file, known in zip(files, keys, strict=True)]
    contradictions = [
        (version, _equivocation(mine, yours, kind, digest, found[version]))
        for mine, yours in ((0, 1), (1, 0))
        for version, digest in signed[mine].items()
        for kind, found in (("has", told[yours]), ("has a receipt for", signed[yours]))
        if found.get(version, digest) != digest
    ]
    if contradictions:
        raise Wrong(*min(contradictions, key=lambda found: found[0]))
    count = sum(map(len, signed))
    if not count:
        raise Impossible("neither file has a receipt whose signature can be checked")
    return f"none of {count} receipts contradicts the other file"


def _equivocation(mine: int, yours: int, kind: str, ours: bytes, theirs: bytes) -> str:
    return (
        f"the platform signed {_short(ours)} for {_NAMES[mine]}, but {_NAMES[yours]} {kind} {_short(theirs)}: "
        "it told two stories of one match, and its signature proves it"
    )


def _short(digest: bytes) -> str:
    return f"entry {digest.hex()[:12]}…"


def _receipted(export: pb.Export, keys: Keys) -> Mapping[int, bytes]:
    """The digests by version for which the file has a receipt that holds."""
    found = dict[int, bytes]()
    for receipt in export.receipts:
        try:
            root = root_of_inclusion(receipt.leaf, receipt.index, receipt.size, receipt.path)
        except ValueError:
            continue
        is_ours = len(receipt.leaf) == 56 and receipt.leaf[:16] == export.match and root == receipt.root
        if is_ours and keys.is_signed(receipt.key_id, receipt.signature, signatures.receipt_message(root)):
            found[int.from_bytes(receipt.leaf[16:24])] = receipt.leaf[24:]
    return found


def _digests(export: pb.Export) -> Mapping[int, bytes]:
    return {entry.version: entry.digest for entry in (export.opened or export.entries)}


def _difference(one: pb.Export, other: pb.Export, version: int) -> str:
    """In what two entries of one version differ."""
    ours, theirs = _shape(one, version), _shape(other, version)
    if ours[0] != theirs[0]:
        return "they were told two public parts"
    if len(ours[1]) != len(theirs[1]):
        return f"they were told {len(ours[1])} and {len(theirs[1])} commitments"
    for index, (mine, yours) in enumerate(zip(ours[1], theirs[1], strict=True)):
        if mine != yours:
            return f"they were told two commitments to sealed part {index}"
    return "they were told two digests of one entry"


def _shape(export: pb.Export, version: int) -> tuple[bytes, list[bytes]]:
    """The public part and the commitments to all sealed parts."""
    for opened in export.opened:
        if opened.version == version:
            return opened.public_part, _commitments(export, opened)
    entry = next(entry for entry in export.entries if entry.version == version)
    return entry.public_part, _completed(entry)


def _completed(entry: match_pb.Entry) -> list[bytes]:
    found = list(entry.commitments)
    for own in entry.own:
        if 0 <= own.index < len(found):
            found[own.index] = chain.commitment(own.salt, own.part)
    return found


def _commitments(export: pb.Export, opened: pb.OpenedEntry) -> list[bytes]:
    seed = first_of(export).server.seed
    return kit_chain.commitments(seed, opened.version, opened.sealed_parts)
