"""Requests of MatchService, checked and in the words of the match."""

from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2, match_service_pb2
from google.protobuf.any_pb2 import Any as AnyMessage

from gateway.accounts.players import player_id
from gateway.authorization import Caller
from gateway.fields import check_request_id
from services.kit.clock import now_ms
from services.kit.errors import Reason, Refused, invalid
from services.kit.fields import check_reason
from services.kit.log import ids
from services.match.games import GameEntry
from services.match.moves import Move
from services.match.recording import Request
from services.match.seating import Taken


def mutation(kind: ids.Kind, caller: Caller, request_id: str, match: bytes, *body: bytes) -> Request:
    """The mutation as the history will remember it."""
    check_request_id(request_id)
    stored = ids.stored_request_id(caller.player, request_id.encode())
    return Request(stored, ids.request_digest(kind, match, *body), request_id, now_ms())


def settings_of(game: GameEntry, settings: AnyMessage | None) -> bytes | None:
    """The bytes of a game's Settings; None for none. Refuses another message."""
    if settings is None:
        return None
    _check_type(settings, game.description.settings_type, "settings")
    return settings.value


def action_of(game: GameEntry, action: AnyMessage, match: str) -> bytes:
    """The bytes of a game's Action. Refuses another message as MALFORMED_ACTION."""
    wanted = game.description.action_type
    if _type_of(action) != wanted:
        text = f"the action must be a {wanted}"
        reason = Reason.ERROR_REASON_MALFORMED_ACTION
        raise Refused(reason, text, match=match, rule="MALFORMED_ACTION", field="type_url")
    return action.value


def move_of(request: match_service_pb2.PlayActionRequest, caller: Caller, action: bytes) -> Move:
    """The action that a player asks for. Refuses a digest that is of no version, which would not be looked at."""
    if request.expected_digest and not (request.HasField("expected_version") and len(request.expected_digest) == 32):
        raise invalid("expected_digest", "has 32 bytes, and expected_version beside it")
    return Move(
        caller.player,
        seat_of(request),
        action,
        request.expected_version if request.HasField("expected_version") else None,
        request.expected_digest,
    )


def seat_of(request: match_service_pb2.PlayActionRequest | match_service_pb2.WatchMatchRequest) -> int | None:
    """The seat that a request names."""
    return request.seat if request.HasField("seat") else None


def closing_of(request: match_service_pb2.AbortMatchRequest) -> entry_pb2.End.Outcome.ValueType:
    """How a host ends a match. Refuses other outcomes than ABORTED and VOIDED, and a reason that is free text."""
    check_reason(request.reason)
    outcome = request.outcome or entry_pb2.End.OUTCOME_ABORTED
    if outcome not in (entry_pb2.End.OUTCOME_ABORTED, entry_pb2.End.OUTCOME_VOIDED):
        raise invalid("outcome", "must be OUTCOME_ABORTED or OUTCOME_VOIDED")
    return outcome


def rules_wanted(wanted: match_service_pb2.Wanted, seat: int | None) -> rules_v1.Wanted:
    """What the rules shall give beside the state."""
    actions_of = (seat,) if wanted.actions and seat is not None else ()
    return rules_v1.Wanted(position=wanted.position, actions_of=actions_of, labels=wanted.labels)


def taken_by(request: match_service_pb2.SeatRequest, caller: Caller) -> Taken:
    """A seat to be taken with the creation."""
    player = player_id(request.player) if request.player else caller.player
    if request.bot_policy and request.player:
        raise invalid("seats.player", "must be empty with a bot_policy")
    return Taken(
        seat=request.seat,
        player=ids.ZERO if request.bot_policy else player,
        bot_policy=request.bot_policy,
        contribution=request.contribution,
    )


def _check_type(message: AnyMessage, wanted: str, field: str) -> None:
    if _type_of(message) != wanted:
        raise invalid(field, f"must be a {wanted}")


def _type_of(message: AnyMessage) -> str:
    return message.type_url.rpartition("/")[2]
