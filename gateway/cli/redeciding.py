"""Has a rules service decide a history again, and fold it again."""

from typing import TYPE_CHECKING

from argosy.rules.v1 import rules_service_pb2 as rules_v1

from gateway.cli.histories import Difference, History
from services.kit import chain

if TYPE_CHECKING:
    from argosy.rules.v1.rules_service_pb2_grpc import RulesServiceAsyncStub

_DEADLINE_S = 60.0


async def decide_again(rules: "RulesServiceAsyncStub", history: History) -> None:
    """Every decision, from its recorded entropy, gives the recorded events and draws; all events give the same state.

    Raises Difference, naming the first.
    """
    if not history.seats:
        return
    created = history.created
    audited = await rules.AuditHistory(
        rules_v1.AuditHistoryRequest(
            game=created.game,
            rules_version=created.rules_version,
            settings=created.settings,
            seats=history.seats,
            decisions=_decisions(history),
        ),
        timeout=_DEADLINE_S,
    )
    if audited.first_difference:
        raise Difference(history.name, audited.first_difference, audited.difference)
    setup = rules_v1.Basis.Setup(settings=created.settings, seats=history.seats)
    events = [event for part in history.entries for event in part.game_events]
    basis = rules_v1.Basis(game=created.game, rules_version=created.rules_version, setup=setup, events=events)
    folded = await rules.FoldEvents(rules_v1.FoldEventsRequest(basis=basis), timeout=_DEADLINE_S)
    last = history.entries[-1].version
    if folded.state != audited.state or folded.status != audited.status:
        raise Difference(history.name, last, "folding all events gives another state than deciding again")
    _check_end(history, folded.status)


def _check_end(history: History, status: rules_v1.Status) -> None:
    end, over = history.end, status.over if status.HasField("over") else None
    last = history.entries[-1].version
    if over is None and end is not None and end.outcome == end.OUTCOME_RESULT:
        raise Difference(history.name, last, "it ends with a result that the rules do not give")
    if over is not None and (end is None or list(end.scores) != list(over.scores) or end.reason != over.reason):
        raise Difference(history.name, last, "the rules give another result than the one recorded")


def _decisions(history: History) -> list[rules_v1.RecordedDecision]:
    found = []
    for part in history.entries:
        if not (part.HasField("start") or part.server.HasField("decision")):
            continue
        is_start = part.HasField("start")
        entropy = chain.start_entropy(history.key)
        if not is_start:
            entropy = chain.decision_entropy(history.key, part.server.decision)
        found.append(
            rules_v1.RecordedDecision(
                version=part.version,
                seat=None if is_start else part.seat,
                action=b"" if is_start else part.server.action,
                entropy=entropy,
                events=part.game_events,
                draws=part.server.draws,
            )
        )
    return found
