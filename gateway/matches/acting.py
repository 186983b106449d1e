"""An action, asked for by a call or on a stream."""

from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import Caller
from gateway.matches.desk import Desk
from gateway.matches.requests import action_of, match_id, move_of, mutation, rules_wanted, seat_of
from services.match import drafts


async def play_action(desk: Desk, request: match_pb.PlayActionRequest, caller: Caller) -> match_pb.PlayActionResponse:
    """Performs one action, asked for by a call or on a stream."""
    match = match_id(request.name)
    table = await desk.matches.tables.get(match)
    action = action_of(table.game, request.action, request.name)
    kind = table.game.description.action_type.encode()
    mutated = mutation("action", caller, request.request_id, match, kind, action)
    seat = seat_of(request)
    wants = rules_wanted(request.wanted, seat if seat is not None else next(iter(table.seats_of(caller.player)), None))
    recorded = await desk.matches.act(table, move_of(request, caller, action), mutated, wants)
    own = seat if seat is not None else drafts.own_seat(table, caller.player, None)
    return match_pb.PlayActionResponse(update=await desk.update(recorded, own, request.wanted))
