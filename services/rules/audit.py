"""Decides a recorded history again and names the first difference."""

from typing import Any

from argosy.rules.v1 import rules_service_pb2 as pb

from services.kit.codec import Malformed
from services.kit.draws import Draw, SeededDraws
from services.rules.basis import begin
from services.rules.decision import DRAW_KINDS, fill_status, open_draws
from services.rules.game import Illegal
from services.rules.loading import Loaded


def audit(game: Loaded, request: pb.AuditHistoryRequest, response: pb.AuditHistoryResponse) -> None:
    """Fills in the first difference, if any, and the last state on which record and rules agree.

    Raises UnreadableBasis for settings that no match can have. The differences told name kinds and numbers, no values.
    """
    state = begin(game, request.settings, request.seats)
    for number, recorded in enumerate(request.decisions):
        state, difference = _again(game, state, recorded, is_start=number == 0)
        if difference:
            response.first_difference, response.difference = recorded.version, difference
            break
    response.state = game.encode_state(state)
    fill_status(game.module.status(state), response.status)


def _again(game: Loaded, state: Any, recorded: pb.RecordedDecision, *, is_start: bool) -> tuple[Any, str]:
    """The state after the decision, and "" or what differs, the state then unchanged."""
    if is_start != (not recorded.HasField("seat")):
        return state, "a history begins with its start, which has no seat; every other decision has one"
    draws = open_draws(recorded.entropy)
    try:
        events = _decide(game, state, recorded, draws)
    except Malformed as malformed:
        return state, f"the recorded action cannot be read: {malformed}"
    except Illegal as illegal:
        return state, f"the recorded action is refused: {illegal.code}"
    encoded = [game.event.to_bytes(event) for event in events]
    if difference := _events_differ(game, list(recorded.events), encoded) or _draws_differ(recorded, draws.made):
        return state, difference
    for event in events:
        state = game.module.evolve(state, event)
    return state, ""


def _decide(game: Loaded, state: Any, recorded: pb.RecordedDecision, draws: SeededDraws) -> Any:
    if not recorded.HasField("seat"):
        return game.module.start(state, draws)
    return game.module.decide(state, recorded.seat, game.action.from_bytes(recorded.action), draws)


def _events_differ(game: Loaded, recorded: list[bytes], decided: list[bytes]) -> str:
    for number, (old, new) in enumerate(zip(recorded, decided, strict=False)):
        if old != new:
            kinds = f"{_kind(game, old)} was recorded, {_kind(game, new)} decided"
            return f"event {number} differs: {kinds}"
    if len(recorded) != len(decided):
        return f"{len(recorded)} events were recorded, {len(decided)} decided"
    return ""


def _kind(game: Loaded, event: bytes) -> str:
    try:
        return type(game.event.from_bytes(event)).__name__
    except Malformed:
        return "what cannot be read"


def _draws_differ(recorded: pb.RecordedDecision, decided: list[Draw]) -> str:
    for number, (old, new) in enumerate(zip(recorded.draws, decided, strict=False)):
        if (old.label, old.kind, old.bound) != (new.label, DRAW_KINDS[new.kind], new.bound):
            return f"draw {number} differs: another one was recorded than {new.kind} {new.label!r} of {new.bound}"
        if tuple(old.result) != new.result:
            return f"the result of draw {number} ({new.label!r}) differs"
    if len(recorded.draws) != len(decided):
        return f"{len(recorded.draws)} draws were recorded, {len(decided)} made"
    return ""
