"""Rulings in a file: signed, of this history, in the log; and what the match counts as by them."""

from collections.abc import Mapping, Sequence

from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from gateway.cli.verify.keys import Keys
from gateway.cli.verify.report import Impossible, Wrong
from gateway.cli.verify.signed import is_later, require_proof
from services.kit import signatures

Kind = pb.Ruling.Kind
_CHANGING = (Kind.KIND_VOID, Kind.KIND_ADJUDICATE)


def check_rulings(export: pb.Export, digests: Mapping[int, bytes], keys: Keys) -> str:
    """Each ruling is of this history, signed for receipts, and stands in the log where the file says so."""
    found = [_read(signed) for signed in export.rulings]
    for ruling in found:
        _check(ruling, export, digests)
    open_ = list[Impossible]()
    for signed in export.rulings:
        message = signatures.message(signatures.RULING, signed.ruling)
        try:
            keys.require(signed.key_id, signed.signature, message)
            if signed.HasField("proof"):
                require_proof(signed.proof, signatures.leaf(signatures.RULING, signed.ruling), keys)
        except Impossible as impossible:
            open_.append(impossible)
    text = tell(found)
    if open_:
        raise Impossible(f"{text}; {open_[0]}")
    missing = sum(not signed.HasField("proof") for signed in export.rulings)
    return f"{text}; {missing} not in the log when it was exported" if missing else text


def ruled_on(export: pb.Export) -> str:
    """What the match counts as by a file's rulings, whoever signed them; "" also where these cannot be read."""
    try:
        return counts_as([_read(signed) for signed in export.rulings])
    except Wrong:
        return ""


def tell(rulings: list[pb.Ruling]) -> str:
    """The rulings in their order, and which holds."""
    told, ruled = ", ".join(_named(ruling) for ruling in rulings), counts_as(rulings)
    return f"{told}; the match {ruled}" if ruled else told


def counts_as(rulings: Sequence[pb.Ruling]) -> str:
    """What the match counts as by the last ruling that changes it; "" where none does."""
    last = next((ruling for ruling in reversed(rulings) if ruling.kind in _CHANGING), None)
    if last is None:
        return ""
    if last.kind == Kind.KIND_VOID:
        return "counts for nothing"
    return f"counts as {' : '.join(f'{score:g}' for score in last.scores)}"


def _named(ruling: pb.Ruling) -> str:
    return f"{Kind.Name(ruling.kind).removeprefix('KIND_')} {ruling.reason}"


def _read(signed: pb.SignedRuling) -> pb.Ruling:
    try:
        ruling = pb.Ruling.FromString(signed.ruling)
    except DecodeError:
        raise Wrong(0, "a ruling cannot be read") from None
    if ruling.kind not in Kind.values() or not ruling.kind:
        raise Wrong(0, "a ruling is of a kind that this program does not know")
    return ruling


def _check(ruling: pb.Ruling, export: pb.Export, digests: Mapping[int, bytes]) -> None:
    head = ruling.head
    if ruling.match != export.match:
        raise Wrong(0, "a ruling is of another match")
    is_after = is_later(export, head.version)
    if head.version not in digests and not is_after:
        raise Wrong(head.version, "a ruling is on an entry that this history does not have")
    if not is_after and digests[head.version] != head.digest:
        raise Wrong(head.version, "a ruling is on another history than this")
    if bool(ruling.scores) != (ruling.kind == Kind.KIND_ADJUDICATE):
        raise Wrong(head.version, "a ruling has scores that it should not have, or none")
    if not all(0 <= score <= 1 for score in ruling.scores):
        raise Wrong(head.version, "a ruling has a score that is not from 0 to 1")
