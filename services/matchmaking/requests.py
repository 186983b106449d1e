"""Requests of MatchmakingService, checked, as the queues keep them."""

import hashlib

from argosy.v1 import entry_pb2
from argosy.v1 import matchmaking_service_pb2 as pb

from services.kit.errors import Reason, Refused, invalid
from services.kit.fields import check_request_id
from services.kit.log import ids
from services.kit.names import game_id, id_in
from services.match.creation import READY_S, Wish, check_policy
from services.match.games import GameEntry, packed
from services.match.matches import Matches
from services.matchmaking.places import place_of, ticket_id
from services.matchmaking.queues import NewTicket

_NOT_CHOSEN = ("invitation", "expire_seconds")
_MS = 1000


def ticket_text(name: str) -> str:
    """The id in `tickets/{ticket}`, as text. Refuses NOT_FOUND for what is no such name."""
    return ids.to_text(id_in("tickets", name))


def own_id(request: pb.CreateTicketRequest, player: bytes) -> str:
    """The id that this request's ticket has."""
    check_request_id(request.request_id)
    place = place_of(game_id(request.ticket.game))
    return ids.to_text(ticket_id(place, player, request.request_id.encode()))


def digest(ticket: pb.Ticket) -> bytes:
    """What is asked for: a request id used again for something else is found out by it."""
    waits = ticket.bot_wait_seconds.to_bytes(8, signed=True)
    parts = (ticket.game.encode(), ticket.settings.SerializeToString(deterministic=True))
    return _hash(*parts, ticket.options.SerializeToString(deterministic=True), ticket.bot_policy.encode(), waits)


async def new_ticket(
    request: pb.CreateTicketRequest, player: bytes, matches: Matches, lifetime_s: float, start_s: int
) -> NewTicket:
    """The ticket asked for. Refuses what no match could be made of: NOT_FOUND, BAD_SETTINGS, INVALID_REQUEST."""
    asked = request.ticket
    game = matches.tables.directory.game(game_id(asked.game))
    _check(asked, game, lifetime_s)
    wish = Wish(game, ids.ZERO, _settings(asked, game), _options(asked, start_s), (), "")
    options, settings = await matches.checked(wish)
    shown = pb.Ticket(
        game=asked.game,
        settings=packed(game.description.settings_type, settings),
        options=options,
        bot_policy=asked.bot_policy,
        bot_wait_seconds=asked.bot_wait_seconds,
    )
    return NewTicket(
        id=own_id(request, player),
        player=player,
        game=game.id,
        queue=_queue(settings, options),
        digest=digest(asked),
        wish=shown.SerializeToString(deterministic=True),
        min_seats=options.min_seats,
        max_seats=options.max_seats,
        policy=asked.bot_policy,
        bot_wait_ms=asked.bot_wait_seconds * _MS,
        lifetime_ms=int(lifetime_s * _MS),
    )


def _check(asked: pb.Ticket, game: GameEntry, lifetime_s: float) -> None:
    for name in _NOT_CHOSEN:
        if getattr(asked.options, name):
            raise invalid(f"ticket.options.{name}", "is not a ticket's to choose")
    check_policy(game, asked.bot_policy)
    if not 0 <= asked.bot_wait_seconds <= lifetime_s:
        raise invalid("ticket.bot_wait_seconds", f"is from 0 to {lifetime_s:g}, how long a ticket waits")
    if asked.bot_wait_seconds and not asked.bot_policy:
        raise invalid("ticket.bot_policy", "is needed with bot_wait_seconds")


def _settings(asked: pb.Ticket, game: GameEntry) -> bytes | None:
    if not asked.HasField("settings"):
        return None
    wanted = game.description.settings_type
    if asked.settings.type_url.rpartition("/")[2] != wanted:
        raise invalid("ticket.settings", f"must be a {wanted}")
    return asked.settings.value


def _options(asked: pb.Ticket, start_s: int) -> entry_pb2.MatchOptions:
    """The options of the match to be made: it waits for its players to be ready, and not for long."""
    options = entry_pb2.MatchOptions()
    options.CopyFrom(asked.options)
    options.ready_required = True
    options.expire_seconds = start_s + max(0, options.ready_seconds or READY_S)
    return options


def _queue(settings: bytes, options: entry_pb2.MatchOptions) -> str:
    """The name of the queue: equal for equal settings and options, however many seats are wished for."""
    rest = entry_pb2.MatchOptions()
    rest.CopyFrom(options)
    rest.ClearField("min_seats")
    rest.ClearField("max_seats")
    return ids.to_text(_hash(settings, rest.SerializeToString(deterministic=True))[: ids.SIZE])


def _hash(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(len(part).to_bytes(4) + part for part in parts)).digest()


def exists(ticket: str) -> Refused:
    """The refusal of a second ticket in one queue."""
    name = f"tickets/{ticket}"
    return Refused(Reason.ERROR_REASON_TICKET_EXISTS, "you wait in this queue already", ticket=name)
