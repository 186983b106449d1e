"""Tickets and intents for tests, in games that no other test knows."""

import os
import secrets
from dataclasses import replace
from typing import Any

from argosy.v1 import matchmaking_service_pb2 as pb

from services.kit.log import ids
from services.matchmaking.claims import Claims
from services.matchmaking.intents import Intent, Seated
from services.matchmaking.making import match_of
from services.matchmaking.pairing import Waiting
from services.matchmaking.places import place_of, ticket_id
from services.matchmaking.queues import NewTicket


def new_game() -> str:
    """A game that no other test knows."""
    return f"game_{secrets.token_hex(6)}"


def new_ticket(game: str, **changes: Any) -> NewTicket:
    """A ticket of somebody new for two seats, with changes."""
    player = changes.pop("player", os.urandom(16))
    made = NewTicket(
        id=ids.to_text(ticket_id(place_of(game), player, os.urandom(16))),
        player=player,
        game=game,
        queue="queue",
        digest=os.urandom(32),
        wish=pb.Ticket(game=f"games/{game}").SerializeToString(),
        min_seats=2,
        max_seats=2,
        policy="",
        bot_wait_ms=0,
        lifetime_ms=60_000,
    )
    return replace(made, **changes)


def intent_of(claims: Claims, queue: str, people: list[Waiting]) -> Intent:
    """The match of these people."""
    return Intent(
        game=claims.place.game,
        queue=queue,
        settings=b"",
        options=b"",
        request_id=ids.tickets_request_id(ids.from_text(w.ticket) for w in people),
        seated=[Seated(w.ticket, w.player) for w in people],
    )


async def claim_all(claims: Claims, queue: str = "queue") -> tuple[bytes, Intent] | None:
    """Claims everybody in the queue for one match; None when it did not succeed."""
    people = await claims.in_queue(queue)
    if not people:
        return None
    intent = intent_of(claims, queue, people)
    return (match_of(intent), intent) if await claims.claim(match_of(intent), intent) else None
