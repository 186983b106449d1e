"""An action, asked for by a call or on a stream: recorded first, then answered."""

from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import Caller
from gateway.matches.desk import Desk
from gateway.matches.requests import action_of, move_of, mutation, rules_wanted, seat_of
from services.kit import wire
from services.kit.names import match_id
from services.match import drafts
from services.match.recording import Recorded
from services.match.viewers import require_sight


async def record_action(desk: Desk, request: match_pb.PlayActionRequest, caller: Caller) -> tuple[Recorded, int]:
    """Records the action; also the seat that acted."""
    match = match_id(request.name)
    table = await desk.matches.tables.get(match)
    kind = request.action.type_url.rpartition("/")[2].encode()
    mutated = mutation("action", caller, request.request_id, match, kind, request.action.value)
    with desk.notary.refusals(request, match, caller, mutated):
        require_sight(table, caller.player)
        action = action_of(table.game, request.action, request.name)
        seat = seat_of(request)
        own_seat = seat if seat is not None else next(iter(table.seats_of(caller.player)), None)
        wants = rules_wanted(request.wanted, own_seat)
        recorded = await desk.matches.act(table, move_of(request, caller, action), mutated, wants)
    return recorded, seat if seat is not None else drafts.own_seat(table, caller.player, None)


async def answer(desk: Desk, recorded: Recorded, seat: int, request: match_pb.PlayActionRequest) -> bytes:
    """The PlayActionResponse to a recorded action, serialized."""
    update = wire.delimited(1, await desk.update(recorded, seat, request.wanted))
    receipt = desk.notary.receipt(request, recorded)
    return update if receipt is None else update + wire.delimited(2, receipt.SerializeToString())
