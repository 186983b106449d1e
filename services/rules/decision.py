"""Decides: an action on a state gives events and the state after them, or a refusal.

The hot path of the platform. An event is encoded once, and answers are filled in place: protobuf copies a message that
is given to a constructor. No state is remembered: decoding one takes a few microseconds.
"""

from collections.abc import Sequence
from typing import Any

from argosy.rules.v1 import rules_service_pb2 as pb
from argosy.v1 import draw_pb2

from services.kit.codec import Malformed
from services.kit.draws import Draw, SeededDraws
from services.rules.basis import UnreadableBasis, read_basis
from services.rules.game import Illegal, Status
from services.rules.listing import fill_actions
from services.rules.loading import Loaded
from services.rules.size import fits_entry, fits_state

MALFORMED_ACTION = "MALFORMED_ACTION"
MALFORMED_SETTINGS = "MALFORMED_SETTINGS"
STATE_TOO_LARGE = "STATE_TOO_LARGE"
EVENTS_TOO_LARGE = "EVENTS_TOO_LARGE"

_ILLEGAL, _MALFORMED, _TOO_LARGE = (
    pb.Refusal.KIND_ILLEGAL,
    pb.Refusal.KIND_MALFORMED,
    pb.Refusal.KIND_TOO_LARGE,
)
DRAW_KINDS = {
    "below": draw_pb2.Draw.KIND_BELOW,
    "shuffle": draw_pb2.Draw.KIND_SHUFFLE,
    "sample": draw_pb2.Draw.KIND_SAMPLE,
}


def decide(game: Loaded, question: pb.Question, answer: pb.Answer) -> None:
    """Fills in the answer to one question. Raises UnreadableBasis."""
    state = read_basis(game, question.basis)
    try:
        action = game.action.from_bytes(question.action)
        draws = open_draws(question.entropy)
        events = game.module.decide(state, question.seat, action, draws)
    except Malformed as malformed:
        refuse(answer.refusal, _MALFORMED, MALFORMED_ACTION, malformed.field)
    except Illegal as illegal:
        refuse(answer.refusal, _ILLEGAL, illegal.code)
    else:
        wanted = question.wanted if question.HasField("wanted") else None
        if problem := fill_decision(game, state, events, draws.made, wanted=wanted, decision=answer.decision):
            refuse(answer.refusal, _TOO_LARGE, problem)


def start(game: Loaded, request: pb.StartMatchRequest, response: pb.StartMatchResponse) -> None:
    """Fills in how a match begins; without entropy, only whether it may."""
    module = game.module
    try:
        settings = game.settings.from_bytes(request.settings) if request.HasField("settings") else module.DEFAULTS
        state = module.initial(settings, request.seats)
    except Malformed as malformed:
        return refuse(response.refusal, _MALFORMED, MALFORMED_SETTINGS, malformed.field)
    except Illegal as illegal:
        return refuse(response.refusal, _ILLEGAL, illegal.code)
    response.settings = game.settings.to_bytes(settings)
    if not request.entropy:
        return response.decision.SetInParent()
    draws = open_draws(request.entropy)
    events = module.start(state, draws)
    if problem := fill_decision(game, state, events, draws.made, wanted=request.wanted, decision=response.decision):
        refuse(response.refusal, _TOO_LARGE, problem)
    return None


def open_draws(entropy: bytes) -> SeededDraws:
    """Draws from the entropy. Raises UnreadableBasis when it has not 32 bytes."""
    if len(entropy) != 32:
        raise UnreadableBasis(f"the entropy has {len(entropy)} bytes, not 32")
    return SeededDraws(entropy)


def fill_decision(
    game: Loaded,
    state: Any,
    events: Sequence[Any],
    draws: Sequence[Draw],
    *,
    wanted: pb.Wanted | None,
    decision: pb.Decision,
) -> str:
    """Folds the events onto the state and fills in the decision. Returns "" or the code of what is too large."""
    encode, evolve = game.event.to_bytes, game.module.evolve
    for event in events:
        state = evolve(state, event)
    encoded = [encode(event) for event in events]
    if not fits_entry(game, encoded):
        return EVENTS_TOO_LARGE
    data = game.encode_state(state)
    if not fits_state(data):
        return STATE_TOO_LARGE
    decision.events.extend(encoded)
    decision.state = data
    fill_status(game.module.status(state), decision.status)
    for draw in draws:
        decision.draws.add(label=draw.label, kind=DRAW_KINDS[draw.kind], bound=draw.bound, result=draw.result)
    if wanted is not None:
        fill_wanted(game, state, wanted, decision)
    return ""


def fill_wanted(game: Loaded, state: Any, wanted: pb.Wanted, answer: pb.Decision | pb.FoldEventsResponse) -> None:
    """Adds position and actions where they are wanted."""
    if wanted.position:
        answer.position = game.position.to_bytes(game.module.position(state))
    for seat in wanted.actions_of:
        fill_actions(game, state, seat, answer.actions.add(), with_labels=wanted.labels)


def fill_status(status: Status, message: pb.Status) -> None:
    """Says who may act, or how it ended."""
    message.SetInParent()
    if status.scores:
        message.over.scores.extend(status.scores)
        message.over.reason = status.reason
    else:
        message.turn.extend(status.turn)
        message.may_act.extend(status.may_act)


def refuse(refusal: pb.Refusal, kind: "pb.Refusal.Kind.ValueType", code: str, field: str = "") -> None:
    """Says why not."""
    refusal.kind, refusal.code, refusal.field = kind, code, field
