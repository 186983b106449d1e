"""Verifies one file: an export, opened or as one viewer saw the match, or a player's own evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.client import ArgosyError
from argosy.client import chain as client_chain
from argosy.client.games import Game
from argosy.client.verify import Verifier
from argosy.v1 import entry_pb2, game_service_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from gateway.cli.verify import history, opening, rules, signed
from gateway.cli.verify.history import Story
from gateway.cli.verify.keys import keys_of
from gateway.cli.verify.report import Impossible, Mark, Report, Wrong
from gateway.cli.verify.rulings import check_rulings, ruled_on
from services.kit.log import ids

ESSENTIAL: Final = ("versions", "seed", "chain", "sealed parts", "draws", "decisions", "result")
_SEEDLESS: Final = "a host has not the seed of a match that goes on: once it is over, --seed"
_CLOSED: Final = "closed: opens after the end, by an opened file or --seed"
_SEALED: Final = "sealed in parts that are not in this file: compare it with an opened one"


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
    ended = _verify_opened(report, export, given) if export.opened else _verify_viewed(report, export, given, opener)
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


def _verify_opened(report: Report, export: pb.Export, given: Given) -> entry_pb2.EntryPart | None:
    """Everything but signatures; the last entry, where it can be read."""
    report.run("versions", lambda: history.check_versions([entry.version for entry in export.opened]))
    if opening.is_seedless(export):
        if not given.seed:
            for name in ("seed", "chain", "sealed parts", "player entropy", "draws", "decisions", "result"):
                report.add(name, Mark.OPEN, _SEEDLESS)
            return None
        export = opening.with_seed(export, given.seed)
    report.run("seed", lambda: history.check_seed(export))
    report.run("chain", lambda: history.check_chain(export))
    if given.seed:
        report.run("seed given", lambda: opening.check_given(export, given.seed))
    return _verify_story(report, export, given)


def _verify_story(report: Report, export: pb.Export, given: Given) -> entry_pb2.EntryPart | None:
    """What takes every part opened: parts, requests, entropy, draws, decisions, result."""
    try:
        story = history.fold(export)
    except Wrong as wrong:
        report.add("entries", Mark.FAILS, str(wrong), wrong.version)
        return None
    report.run("sealed parts", lambda: story.outcome("sealed parts", f"{story.table.created.sealed_parts} an entry"))
    report.run("requests", lambda: story.outcome("requests", "what was asked for is what was recorded"))
    report.run("player entropy", lambda: _check_entropy(export, story))
    report.run("draws", lambda: story.outcome("draws", f"{story.audit.counts.get('draws', 0)} recomputed"))
    decided = None
    try:
        decided = rules.decide_again(story, given.elsewhere)
    except Impossible as impossible:
        report.add("decisions", Mark.OPEN, str(impossible))
    except Wrong as wrong:
        report.add("decisions", Mark.FAILS, str(wrong), wrong.version)
    else:
        report.run("decisions", lambda: rules.check_decisions(story, decided))
    report.run("result", lambda: rules.check_end(story, decided))
    try:
        return entry_pb2.EntryPart.FromString(export.opened[-1].public_part)
    except DecodeError:
        return None  # the chain or the sealed parts say so


def _check_entropy(export: pb.Export, story: Story) -> str:
    """Each seat's contribution is well formed, went into the key of all draws, and is of the secret in the file."""
    held = story.table.held
    given = {seat: one.contribution for seat, one in enumerate(held) if one is not None and one.contribution}
    if any(len(contribution) != client_chain.SIZE for contribution in given.values()):
        raise Wrong(0, "a contribution has not 32 bytes")
    for own in export.secrets:
        if given.get(own.seat) != client_chain.contribution(own.secret):
            raise Wrong(0, f"seat {own.seat} did not contribute the secret in this file")
    if not given:
        return "no seat has contributed"
    seats = ", ".join(map(str, given))
    return f"from seat{'s' * (len(given) > 1)} {seats}"


def _verify_viewed(
    report: Report, export: pb.Export, given: Given, opener: pb.Export | None
) -> entry_pb2.EntryPart | None:
    """What one viewer can check of what it received: the chain, its own parts, that nothing was withheld.

    An opened file of the match opens the rest, and the seed alone as much as follows from it.
    """
    report.run("versions", lambda: history.check_versions([entry.version for entry in export.entries]))
    last: list[entry_pb2.EntryPart] = []
    report.run("chain", lambda: _check_viewed(export, last))
    part = last[-1] if last else None
    if (
        opener is not None
        and opener.opened
        and opener.match == export.match
        and _opened_too(report, export, opener, given)
    ):
        return part
    if given.seed:
        report.run("seed", lambda: opening.check_seed(export, given.seed))
        report.run("sealed parts", lambda: opening.check_own(export, given.seed))
        report.run("player entropy", lambda: opening.check_contributions(export))
    closed = _SEALED if given.seed else _CLOSED
    for name in ("seed", "sealed parts", "player entropy", "draws", "decisions"):
        if all(check.name != name for check in report.checks):
            report.add(name, Mark.OPEN, closed)
    goes_on = part is None or not part.HasField("end")
    report.add("result", Mark.OPEN, "the match goes on" if goes_on else closed)
    return part


def _opened_too(report: Report, export: pb.Export, opener: pb.Export, given: Given) -> bool:
    """Checks the viewer's file with the parts that the other file opens; whether that could be done."""
    try:
        opened = opening.opened_by(export, opener)
    except Impossible as impossible:
        report.add("opened parts", Mark.OPEN, str(impossible))
        return False
    report.add("opened parts", Mark.HOLDS, "by the other file, which has the same entries")
    report.run("seed", lambda: history.check_seed(opened))
    _verify_story(report, opened, given)
    return True


def _check_viewed(export: pb.Export, last: list[entry_pb2.EntryPart]) -> str:
    verifier = Verifier(f"matches/{ids.to_text(export.match)}", _client_game(export), export.seats)
    for entry in export.entries:
        try:
            last[:] = [verifier.advance(entry)]
        except ArgosyError as error:
            raise Wrong(entry.version, error.metadata.get("problem", "it does not hold")) from None
    seats = f", with the parts of seat {', '.join(map(str, export.seats))}" if export.seats else ", as a spectator"
    return f"head {verifier.digest.hex()[:16]}…{seats}"


def _client_game(export: pb.Export) -> Game:
    try:
        about = game_service_pb2.Game(
            name="games/file",
            descriptors=FileDescriptorSet.FromString(export.descriptors),
            settings_type=export.settings_type,
            action_type=export.action_type,
            event_type=export.event_type,
            position_type=export.position_type,
        )
        return Game(about)
    except (DecodeError, TypeError, KeyError, RecursionError) as error:
        raise Wrong(0, f"the file's descriptors cannot be used ({type(error).__name__})") from None


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
