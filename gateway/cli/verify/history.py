"""An opened history out of a file: read, folded, and checked in the order of trust."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from gateway.cli.verify.report import Impossible, Wrong
from services.kit import chain, parts
from services.kit.log import ids
from services.match.audit import Audit, Broken, check_draws, check_parts, recorded_decision
from services.match.games import GameEntry, make_entry
from services.match.table import Table, apply, open_table

_MOST_SEATS: Final = 1000
_KINDS: dict[str, ids.Kind] = {
    "seats_taken": "join",
    "seat_readied": "ready",
    "seat_left": "leave",
    "resigned": "resign",
    "aborted": "abort",
    "voided": "abort",
}


@dataclass
class Story:
    """A folded history: the first problem of each check by name, and what the rules have to decide again."""

    table: Table
    problems: dict[str, Wrong] = field(default_factory=dict)
    decisions: list[rules_v1.RecordedDecision] = field(default_factory=list)
    audit: Audit = field(default_factory=Audit)
    counts: dict[str, int] = field(default_factory=dict)

    def check(self, name: str, check: Callable[[], None]) -> None:
        """Remembers the first problem of a check."""
        self.counts[name] = self.counts.get(name, 0) + 1
        try:
            check()
        except Broken as broken:
            self.problems.setdefault(name, Wrong(broken.problem.version, str(broken)))
        except Wrong as wrong:
            self.problems.setdefault(name, wrong)

    def outcome(self, name: str, text: str) -> str:
        """`text`, unless the check has failed."""
        if name in self.problems:
            raise self.problems[name]
        return text


def sealed_of(export: pb.Export) -> list[parts.Sealed]:
    """The opened entries as stored ones."""
    return [
        parts.Sealed(entry.version, entry.digest, b"", entry.public_part, tuple(entry.sealed_parts))
        for entry in export.opened
    ]


def check_versions(versions: Sequence[int]) -> str:
    """Versions are 1, 2, 3, … without gaps."""
    for number, version in enumerate(versions, 1):
        if version != number:
            raise Wrong(number, f"version {version} stands in its place")
    if not versions:
        raise Impossible("there are no entries")
    return f"1 to {len(versions)}"


def first_of(export: pb.Export) -> entry_pb2.EntryPart:
    """The whole part of entry 1. Raises Wrong where it cannot be read or creates another match."""
    whole = _whole(sealed_of(export)[0])
    if not whole.cause.HasField("created") or whole.cause.created.match != export.match:
        raise Wrong(1, "the first entry does not create this match")
    return whole


def check_seed(export: pb.Export) -> str:
    """The seed is the one to which entry 1's public part commits."""
    seed, public = first_of(export).server.seed, _parsed(1, export.opened[0].public_part)
    if len(seed) != 32 or chain.seed_commitment(export.match, seed) != public.cause.created.seed_commitment:
        raise Wrong(1, "the seed is not the one committed to")
    return "the one committed to before any seat was taken"


def check_chain(export: pb.Export) -> str:
    """Each digest follows from the one before, the public part and the commitments to all sealed parts."""
    seed, digest = first_of(export).server.seed, chain.first_digest(export.match)
    for number, entry in enumerate(sealed_of(export), 1):
        if entry.version != number or parts.chained(entry, digest, seed) is None:
            raise Wrong(number, "the digest does not follow from the parts and the entry before")
        digest = entry.digest
    return f"head {digest.hex()[:16]}…"


def game_of(export: pb.Export, created: entry_pb2.PlatformEvent.Created) -> GameEntry:
    """The game's messages, from the file's descriptors: data, never code."""
    try:
        described = rules_v1.Game(
            id=created.game,
            rules_version=created.rules_version,
            descriptors=FileDescriptorSet.FromString(export.descriptors),
            settings_type=export.settings_type,
            action_type=export.action_type,
            event_type=export.event_type,
            position_type=export.position_type,
        )
        return make_entry(described, None)  # type: ignore[arg-type]  # nobody is asked anything
    except (DecodeError, ValueError, RecursionError) as error:
        raise Wrong(0, f"the file's descriptors cannot be used ({type(error).__name__})") from None


def fold(export: pb.Export) -> Story:
    """All entries, folded. Raises Wrong where that cannot be done."""
    first = first_of(export)
    if not 0 < first.cause.created.options.max_seats <= _MOST_SEATS:
        raise Wrong(1, "no match has so many seats")
    story = Story(open_table(export.match, game_of(export, first.cause.created), first))
    for number, sealed in enumerate(sealed_of(export), 1):
        if sealed.version != number:
            raise Wrong(number, f"version {sealed.version} stands in its place")
        whole = _whole(sealed)
        try:
            _fold(story, sealed, whole)
        except (ArithmeticError, LookupError, TypeError, ValueError, DecodeError) as error:
            raise Wrong(sealed.version, f"the entry cannot be folded ({type(error).__name__})") from None
    return story


def _fold(story: Story, sealed: parts.Sealed, whole: entry_pb2.EntryPart) -> None:
    table = story.table
    if whole.version != sealed.version:
        raise Wrong(sealed.version, "the parts bear another version")
    story.check("sealed parts", lambda: check_parts(table, sealed, whole))
    story.check("requests", lambda: _check_request(table, sealed.version, whole))
    apply(table, sealed, whole, whole.server.stored_request_id)
    try:
        decision = recorded_decision(table, whole)
    except Broken as broken:
        story.problems.setdefault("draws", Wrong(broken.problem.version, str(broken)))
        return
    if decision is not None:
        story.check("draws", lambda: check_draws(decision, story.audit))
        story.decisions.append(decision)


def _check_request(table: Table, version: int, whole: entry_pb2.EntryPart) -> None:
    """The request digest must be that of what the entry says was asked for."""
    server = whole.server
    if not server.stored_request_id:
        return
    cause = whole.cause.WhichOneof("kind") if whole.HasField("cause") else None
    if server.HasField("decision"):
        kind: ids.Kind = "action"
        body: tuple[bytes, ...] = (table.game.description.action_type.encode(), server.action)
    elif cause in _KINDS:
        kind, body = _KINDS[cause], _body(whole)
    else:
        return
    if ids.request_digest(kind, table.match, *body) != server.request_digest:
        raise Wrong(version, "what was asked for is not what the request's digest says")


def _body(whole: entry_pb2.EntryPart) -> tuple[bytes, ...]:
    cause = whole.cause
    match cause.WhichOneof("kind"):
        case "seats_taken":
            return (cause.seats_taken.seats[0].contribution,)
        case "seat_readied":
            return (cause.seat_readied.contribution,)
        case "aborted" | "voided":
            outcome = entry_pb2.End.Outcome.Name(whole.end.outcome).removeprefix("OUTCOME_")
            return outcome.encode(), whole.end.reason.encode()
        case _:
            return ()


def _whole(sealed: parts.Sealed) -> entry_pb2.EntryPart:
    if not sealed.sealed_parts:
        raise Wrong(sealed.version, "the entry has no server's part")
    return _parsed(sealed.version, sealed.sealed_parts[-1])


def _parsed(version: int, part: bytes) -> entry_pb2.EntryPart:
    try:
        return entry_pb2.EntryPart.FromString(part)
    except DecodeError:
        raise Wrong(version, "a part cannot be read") from None
