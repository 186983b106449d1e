"""Checks a whole history: what any holder of the opened entries can check, and what the rules say of it.

The order is that of trust: chain and seed first, then every part against the whole, every draw against its entropy, and
at last every decision decided again by the rules service. The first problem ends the audit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import draw_pb2, entry_pb2

from services.kit import chain, parts
from services.kit.draws import SeededDraws
from services.kit.log.entries import Entry
from services.match.games import GameEntry
from services.match.table import Table, apply, open_table

_DEADLINE_S = 60.0
_MOST_ITEMS = 1 << 24  # in all shuffles and samples of a match: more would only keep the reader of a file busy
_KINDS = {draw_pb2.Draw.KIND_BELOW: "below", draw_pb2.Draw.KIND_SHUFFLE: "shuffle", draw_pb2.Draw.KIND_SAMPLE: "sample"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not hold, and at which version first."""

    version: int
    check: str
    text: str

    def __str__(self) -> str:
        return f"version {self.version}: {self.check}: {self.text}"


class Broken(Exception):
    """Carries a Problem to the end of the audit."""

    def __init__(self, version: int, check: str, text: str) -> None:
        super().__init__(text)
        self.problem = Problem(version, check, text)


@dataclass
class Audit:
    """What was checked, how often; and the first problem, None where everything holds."""

    counts: dict[str, int] = field(default_factory=dict)
    problem: Problem | None = None
    items: int = 0  # shuffled, or sampled from

    def count(self, check: str) -> None:
        """One more that holds."""
        self.counts[check] = self.counts.get(check, 0) + 1


async def audit(match: bytes, entries: Sequence[Entry], game: GameEntry) -> Audit:
    """Audits all entries of a match. Hidden values never stand in a problem's text."""
    result = Audit()
    try:
        table, decisions = _fold(match, entries, game, result)
        if table.seats:
            await _decide_again(table, decisions, result)
    except Broken as broken:
        result.problem = broken.problem
    return result


def _fold(
    match: bytes, entries: Sequence[Entry], game: GameEntry, result: Audit
) -> tuple[Table, list[rules_v1.RecordedDecision]]:
    table, decisions = _first(match, entries, game), list[rules_v1.RecordedDecision]()
    for number, entry in enumerate(entries, 1):
        sealed = _opened(entry, number)
        if parts.chained(sealed, table.digest, table.seed) is None:
            raise Broken(number, "chain", "the digest does not follow from the parts and the entry before")
        whole = _whole(sealed)
        check_parts(table, sealed, whole)
        apply(table, sealed, whole, entry.stored_request_id)
        result.count("entries")
        decision = recorded_decision(table, whole)
        if decision is not None:
            check_draws(decision, result)
            decisions.append(decision)
    return table, decisions


def _first(match: bytes, entries: Sequence[Entry], game: GameEntry) -> Table:
    if not entries:
        raise Broken(0, "history", "is empty")
    whole = _whole(_opened(entries[0], 1))
    created, seed = whole.cause.created, whole.server.seed
    if created.match != match:
        raise Broken(1, "match", "entry 1 is of another match")
    if chain.seed_commitment(match, seed) != created.seed_commitment:
        raise Broken(1, "seed", "is not the one committed to")
    return open_table(match, game, whole)


def _opened(entry: Entry, number: int) -> parts.Sealed:
    if entry.version != number:
        raise Broken(number, "dense versions", f"version {entry.version} stands in its place")
    try:
        return parts.opened(entry.version, entry.digest, entry.body)
    except parts.BadEntry as bad:
        raise Broken(number, "entry", str(bad)) from None


def _whole(sealed: parts.Sealed) -> entry_pb2.EntryPart:
    try:
        return parts.server_part(sealed)
    except parts.BadEntry as bad:
        raise Broken(sealed.version, "entry", str(bad)) from None


def check_parts(table: Table, sealed: parts.Sealed, whole: entry_pb2.EntryPart) -> None:
    """The public and every seat's part must be what the redactor makes of the whole."""
    if len(sealed.sealed_parts) != table.created.sealed_parts:
        raise Broken(sealed.version, "sealed parts", f"there are {len(sealed.sealed_parts)}")
    draft = entry_pb2.EntryPart()
    draft.CopyFrom(whole)
    draft.ClearField("game_events")
    draft.ClearField("server")
    again = parts.seal(table.seal, table.digest, draft, whole.game_events, whole.server)
    if again.public_part != sealed.public_part:
        raise Broken(sealed.version, "public part", "is not what everybody may see of the whole")
    for seat, (made, stored) in enumerate(zip(again.sealed_parts, sealed.sealed_parts, strict=True)):
        if made != stored:
            raise Broken(sealed.version, "sealed part", f"number {seat} is not what its holder may see of the whole")


def recorded_decision(table: Table, whole: entry_pb2.EntryPart) -> rules_v1.RecordedDecision | None:
    """The game decision, or the start, that an entry just folded records."""
    server = whole.server
    if server.HasField("decision"):
        entropy = chain.decision_entropy(table.key, server.decision)
        if server.decision != table.decisions - 1:
            raise Broken(
                whole.version, "decisions", f"number {server.decision} stands where {table.decisions - 1} must"
            )
    elif whole.HasField("start"):
        entropy = chain.start_entropy(table.key)
    elif whole.game_events:
        raise Broken(whole.version, "decisions", "events stand in an entry in which nothing was decided")
    else:
        return None
    decision = rules_v1.RecordedDecision(version=whole.version, action=server.action, entropy=entropy)
    if server.HasField("decision"):
        decision.seat = whole.seat
    decision.events.extend(whole.game_events)
    decision.draws.extend(server.draws)
    return decision


def check_draws(decision: rules_v1.RecordedDecision, result: Audit) -> None:
    """Every draw must follow from the entropy, without any knowledge of the rules."""
    draws = SeededDraws(decision.entropy)
    for drawn in decision.draws:
        if drawn.kind != draw_pb2.Draw.KIND_BELOW:
            result.items += max(drawn.bound, 0)
        is_short = drawn.kind == draw_pb2.Draw.KIND_SHUFFLE and len(drawn.result) != drawn.bound
        if is_short or result.items > _MOST_ITEMS:
            raise Broken(decision.version, "draws", f"{drawn.label!r} is of more items than a match draws from")
        if _draw(draws, drawn) != tuple(drawn.result):
            raise Broken(decision.version, "draws", f"{drawn.label!r} does not follow from the seed")
        result.count("draws")


def _draw(draws: SeededDraws, drawn: draw_pb2.Draw) -> tuple[int, ...] | None:
    match _KINDS.get(drawn.kind):
        case "below":
            return (draws.below(drawn.label, drawn.bound),)
        case "shuffle":
            return draws.shuffle(drawn.label, range(drawn.bound))
        case "sample":
            return draws.sample(drawn.label, range(drawn.bound), len(drawn.result))
        case _:
            return None


async def _decide_again(table: Table, decisions: Sequence[rules_v1.RecordedDecision], result: Audit) -> None:
    created = table.created
    request = rules_v1.AuditHistoryRequest(
        game=created.game,
        rules_version=created.rules_version,
        settings=created.settings,
        seats=table.seats,
        decisions=decisions,
    )
    try:
        response = await table.game.stub.AuditHistory(request, timeout=_DEADLINE_S)
    except grpc.aio.AioRpcError as error:
        raise Broken(0, "rules", f"the rules service does not answer ({error.code().name})") from None
    if response.first_difference:
        raise Broken(response.first_difference, "decision", response.difference)
    result.counts["decisions"] = len(decisions)
    await _fold_again(table, decisions, response)
    result.count("folds")
    end, over = table.end, response.status.over
    if end is not None and end.outcome == entry_pb2.End.OUTCOME_RESULT:
        if (list(end.scores), end.reason) != (list(over.scores), over.reason):
            raise Broken(table.version, "result", "is not what the rules say")
        result.count("results")


async def _fold_again(
    table: Table, decisions: Sequence[rules_v1.RecordedDecision], decided: rules_v1.AuditHistoryResponse
) -> None:
    """All events, folded from the beginning, must give the state that deciding again gave."""
    setup = rules_v1.Basis.Setup(settings=table.created.settings, seats=table.seats)
    basis = rules_v1.Basis(game=table.created.game, rules_version=table.created.rules_version, setup=setup)
    basis.events.extend(event for decision in decisions for event in decision.events)
    try:
        folded = await table.game.stub.FoldEvents(rules_v1.FoldEventsRequest(basis=basis), timeout=_DEADLINE_S)
    except grpc.aio.AioRpcError as error:
        raise Broken(0, "rules", f"the rules service does not fold ({error.code().name})") from None
    if (folded.state, folded.status) != (decided.state, decided.status):
        raise Broken(table.version, "fold", "the events give another state than the decisions")
