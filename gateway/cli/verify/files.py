"""Verifies one file: an export, opened or as one viewer saw the match, or a player's own evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from gateway.cli.verify import signed
from gateway.cli.verify.keys import keys_of
from gateway.cli.verify.opened import verify_opened
from gateway.cli.verify.report import Impossible, Report, Wrong
from gateway.cli.verify.rulings import check_rulings, ruled_on
from gateway.cli.verify.viewed import verify_viewed
from services.kit.log import ids

ESSENTIAL: Final = ("versions", "seed", "chain", "sealed parts", "draws", "decisions", "result")


@dataclass(frozen=True, slots=True)
class Given:
    """What the reader brings: keys that it trusts, where games lie that are not in their usual place, the seed."""

    keys: Path | None = None
    elsewhere: Sequence[str] = ()
    seed: bytes = b""


def read(path: Path) -> pb.Export:
    """The file. Raises ValueError for one that is no export."""
    try:
        export = pb.Export.FromString(path.read_bytes())
    except DecodeError:
        raise ValueError(f"{path} is no export of a match: it cannot be read") from None
    if export.form != 1 or len(export.match) != ids.SIZE:
        raise ValueError(f"{path} is no export of a match, or of a form that this program does not know")
    return export


def verify(export: pb.Export, given: Given, opener: pb.Export | None = None) -> Report:
    """All checks. `opener` is an opened file of the same match, which may open this one.

    Raises ValueError for a bad file of keys.
    """
    report = Report(ESSENTIAL)
    keys = keys_of(export, given.keys)
    if export.opened:
        ended = verify_opened(report, export, seed=given.seed, elsewhere=given.elsewhere)
    else:
        ended = verify_viewed(report, export, opener, seed=given.seed, elsewhere=given.elsewhere)
    report.run("summary", lambda: _check_summary(export, ended))
    report.run("signature", lambda: signed.check_signature(export, keys))
    report.run("inclusion", lambda: signed.check_inclusion(export, keys))
    if export.rulings:
        report.ruled = ruled_on(export)
        report.run("rulings", lambda: check_rulings(export, digests(export), keys))
    if export.receipts:
        report.run("receipts", lambda: signed.check_receipts(export, digests(export), keys))
    if export.refusals:
        report.run("refusals", lambda: signed.check_refusals(export, digests(export), keys))
    return report


def digests(export: pb.Export) -> Mapping[int, bytes]:
    """The digests by version."""
    return {entry.version: entry.digest for entry in (export.opened or export.entries)}


def _check_summary(export: pb.Export, last: entry_pb2.EntryPart | None) -> str:
    """The signed summary is of this history: its end, its last version and digest."""
    if not export.HasField("result"):
        raise Impossible("the file bears no signed result")
    try:
        summary = pb.ResultSummary.FromString(export.result.summary)
    except DecodeError:
        raise Wrong(0, "the signed summary cannot be read") from None
    known, head = digests(export), summary.head
    if summary.match != export.match:
        raise Wrong(0, "the signed summary is of another match")
    if head.version not in known or len(known) != head.version:
        at = min(head.version, len(known) + 1)
        raise Wrong(at, f"the signed result is of {head.version} entries, this history has {len(known)}")
    if known[head.version] != head.digest:
        raise Wrong(head.version, "the signed result is of another history")
    if last is not None and last.end != summary.end:
        raise Wrong(head.version, "the signed result is another than the history's")
    return f"of {head.version} entries"
