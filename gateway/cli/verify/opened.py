"""Checks of a file in which every part is opened."""

from collections.abc import Sequence
from typing import Final

from argosy.client import chain as client_chain
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from gateway.cli.verify import history, opening, rules
from gateway.cli.verify.history import Story
from gateway.cli.verify.report import Impossible, Mark, Report, Wrong

_SEEDLESS: Final = "a host has not the seed of a match that goes on: once it is over, --seed"


def verify_opened(
    report: Report, export: pb.Export, *, seed: bytes, elsewhere: Sequence[str]
) -> entry_pb2.EntryPart | None:
    """Everything but signatures; the last entry, where it can be read.

    `seed` is the one that the reader was given, if any; `elsewhere` says where games lie that are not in their usual
    place.
    """
    report.run("versions", lambda: history.check_versions([entry.version for entry in export.opened]))
    if opening.is_seedless(export):
        if not seed:
            for name in ("seed", "chain", "sealed parts", "player entropy", "draws", "decisions", "result"):
                report.add(name, Mark.OPEN, _SEEDLESS)
            return None
        export = opening.with_seed(export, seed)
    report.run("seed", lambda: history.check_seed(export))
    report.run("chain", lambda: history.check_chain(export))
    if seed:
        report.run("seed given", lambda: opening.check_given(export, seed))
    return verify_story(report, export, elsewhere)


def verify_story(report: Report, export: pb.Export, elsewhere: Sequence[str]) -> entry_pb2.EntryPart | None:
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
        decided = rules.decide_again(story, elsewhere)
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
