"""The Python client of Argosy.

async with Client.connect("localhost:7600", guest="Ann") as client:
match = await client.create("sirenen")
joined = await client.join(match.name)
async for update in (table := client.follow(match.name, seat=joined.seat, actions=True)):
if update.status and joined.seat in update.status.turn:
await table.play(update.actions[0].action)
"""

from argosy.client.auditing import Access
from argosy.client.client import Client
from argosy.client.credentials import Account
from argosy.client.errors import (
    ArgosyError,
    HistoryDiverged,
    IllegalAction,
    MalformedAction,
    MatchEnded,
    NotFound,
    NotSeated,
    RateLimited,
    Reason,
    StaleVersion,
    TlsFailed,
    TokenExpired,
    TooManyWatches,
    Unauthenticated,
    UnknownEvent,
)
from argosy.client.evidence import Evidence
from argosy.client.follow import Following
from argosy.client.games import Game
from argosy.client.ids import new_request_id
from argosy.client.mine import Mine
from argosy.client.replays import GameRecord, MatchSummary, ReplayPosition
from argosy.client.retry import Patience
from argosy.client.tickets import NoMatch, Ticket, Tickets
from argosy.client.transcript import Transcript
from argosy.client.updates import Joined, LegalAction, Status, Update

__all__ = [
    "Access",
    "Account",
    "ArgosyError",
    "Client",
    "Evidence",
    "Following",
    "Game",
    "GameRecord",
    "HistoryDiverged",
    "IllegalAction",
    "Joined",
    "LegalAction",
    "MalformedAction",
    "MatchEnded",
    "MatchSummary",
    "Mine",
    "NoMatch",
    "NotFound",
    "NotSeated",
    "Patience",
    "RateLimited",
    "Reason",
    "ReplayPosition",
    "StaleVersion",
    "Status",
    "Ticket",
    "Tickets",
    "TlsFailed",
    "TokenExpired",
    "TooManyWatches",
    "Transcript",
    "Unauthenticated",
    "UnknownEvent",
    "Update",
    "new_request_id",
]
