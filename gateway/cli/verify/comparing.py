"""Compares what two people received of one match."""

from argosy.client import chain
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify.files import digests
from gateway.cli.verify.history import first_of
from gateway.cli.verify.report import Impossible, Wrong
from services.kit import chain as kit_chain


def compare(one: pb.Export, other: pb.Export) -> str:
    """Where two files agree. Raises Wrong at the first version at which they differ, saying in what."""
    if one.match != other.match:
        raise Impossible("they are of two matches")
    ours, theirs = digests(one), digests(other)
    common = sorted(set(ours) & set(theirs))
    for version in common:
        if ours[version] != theirs[version]:
            raise Wrong(version, _difference(one, other, version))
    if not common:
        raise Impossible("they have no version in common")
    more = max(*ours, *theirs) - common[-1]
    return f"the same to version {common[-1]}" + (f"; one goes on by {more}" if more else "")


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
