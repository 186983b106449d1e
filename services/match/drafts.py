"""What an entry shall say: made from the table as it stands, before it is stamped, sealed and recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from services.kit.errors import Reason, Refused
from services.match.table import Phase, Table, needs_ready
from services.match.viewers import require_sight

Outcome = entry_pb2.End


@dataclass(slots=True)
class Draft:
    """An entry without version, times and request ids. `decision` is what the rules said, where they were asked."""

    part: entry_pb2.EntryPart
    server: entry_pb2.ServerPart = field(default_factory=entry_pb2.ServerPart)
    events: Sequence[bytes] = ()
    decision: rules_v1.Decision | None = None


def add_decision(draft: Draft, decision: rules_v1.Decision) -> None:
    """Adds what the rules decided: events, draws, and the end where the match is over."""
    draft.decision, draft.events = decision, decision.events
    draft.server.draws.extend(decision.draws)
    if decision.status.HasField("over"):
        over = decision.status.over
        draft.part.end.outcome = Outcome.OUTCOME_RESULT
        draft.part.end.scores.extend(over.scores)
        draft.part.end.reason = over.reason


def starting_seats(table: Table) -> int:
    """With how many seats the match can start now; 0 when it cannot."""
    taken = [held for held in table.held if held is not None]
    count, options = len(taken), table.options
    is_full = count == options.max_seats
    if count < options.min_seats or any(held is None for held in table.held[:count]):
        return 0
    if is_full and not options.ready_required:
        return count
    return count if needs_ready(options) and all(held.is_ready for held in taken) else 0


def resigned(table: Table, seat: int) -> Draft:
    """The seat gives up: it scores 0; a single opponent 1, several a draw among them; fellow players 0."""
    part = entry_pb2.EntryPart(seat=seat)
    part.cause.resigned.seat = seat
    part.end.outcome, part.end.reason = Outcome.OUTCOME_RESIGNED, "RESIGNATION"
    others = 0.0 if table.game.description.cooperative else 1.0 if table.seats == 2 else 0.5
    part.end.scores.extend(0.0 if s == seat else others for s in range(table.seats))
    return Draft(part)


def aborted(reason: str, *, outcome: entry_pb2.End.Outcome.ValueType = Outcome.OUTCOME_ABORTED) -> Draft:
    """The match ends without a result."""
    part = entry_pb2.EntryPart()
    part.cause.aborted.reason = reason
    part.end.outcome, part.end.reason = outcome, reason
    return Draft(part)


def closed(table: Table, outcome: entry_pb2.End.Outcome.ValueType, reason: str) -> Draft:
    """A host ends the match without a result, or as one that counts for nothing."""
    _require_going_on(table)
    draft = aborted(reason, outcome=outcome)
    if outcome == Outcome.OUTCOME_VOIDED:
        draft.part.cause.voided.reason = reason
    return draft


def require_open(table: Table) -> None:
    """Refuses what is possible only before the start."""
    _require_going_on(table)
    if table.phase is not Phase.OPEN:
        raise Refused(Reason.ERROR_REASON_MATCH_STARTED, "the match has started", **facts(table))


def require_active(table: Table) -> None:
    """Refuses what is possible only while the match is played."""
    _require_going_on(table)
    if table.phase is Phase.OPEN:
        raise Refused(Reason.ERROR_REASON_MATCH_NOT_STARTED, "the match has not started", **facts(table))


def own_seat(table: Table, player: bytes, seat: int | None) -> int:
    """The seat that the player means: the one named, or the only one held.

    Refuses NOT_SEATED, and NOT_FOUND to who may not know of the match.
    """
    seats = table.seats_of(player)
    if seat is None and len(seats) == 1:
        return seats[0]
    if seat is not None and seat in seats:
        return seat
    require_sight(table, player)
    problem = "name one of your seats" if seat is None and seats else "you do not hold that seat"
    raise Refused(Reason.ERROR_REASON_NOT_SEATED, problem, match=f"matches/{table.text}")


def facts(table: Table) -> dict[str, Any]:
    """What a refusal says about the match: its name and head."""
    return {"match": f"matches/{table.text}", "version": table.version}


def _require_going_on(table: Table) -> None:
    if table.phase in (Phase.ENDED, Phase.ABORTED):
        raise Refused(Reason.ERROR_REASON_MATCH_ENDED, "the match is over", **facts(table))
