"""Accesses for those whom they concern, page by page."""

from argosy.v1 import access_pb2 as pb
from google.protobuf.timestamp_pb2 import Timestamp
from sqlalchemy import ColumnElement, or_

from services.kit.errors import Reason, Refused, invalid
from services.kit.fields import page_size
from services.kit.log import ids
from services.match.accesses import AUDITING, Access
from services.replay.accesses.schema import accesses
from services.replay.accesses.store import Accesses
from services.replay.callers import Caller, player_id
from services.replay.histories import Story
from services.replay.shows import viewer_for
from services.replay.tokens import read_token, token_after

_DEFAULT, _MOST = 50, 200


async def list_accesses(
    stored: Accesses, request: pb.ListAccessesRequest, caller: Caller, story: Story | None
) -> pb.ListAccessesResponse:
    """A page of the accesses that the caller may see, of this match or of all."""
    sees_all = bool(AUDITING & caller.scopes)
    if not sees_all:
        _require_seat(caller, story)
    size = page_size(request.page_size, _DEFAULT, _MOST)
    after = read_token(request) if request.page_token else None
    found = await stored.find(_wanted(request, caller, story, sees_all=sees_all), after, size + 1)
    token = token_after(request, found[size - 1].begin_ms, found[size - 1].id) if len(found) > size else ""
    told = [shown(access, with_key=sees_all) for access in found[:size]]
    return pb.ListAccessesResponse(accesses=told, next_page_token=token, lost=await stored.lost() if sees_all else 0)


def shown(access: Access, *, with_key: bool) -> pb.Access:
    """The access as callers get it; the gateway adds people's names."""
    told = pb.Access(
        match=f"matches/{ids.to_text(access.match)}" if access.match else "",
        player=f"players/{ids.to_text(access.player)}",
        api_key=f"apiKeys/{access.key}" if access.key and with_key else "",
        seats=access.seats,
        opened=access.opened,
        method=access.method,
        first_version=access.first_version,
        last_version=access.last_version,
        live=access.live,
        privileged=access.privileged,
        reason=access.reason,
        count=access.count,
    )
    told.begin_time.FromMilliseconds(access.begin_ms)
    told.last_time.FromMilliseconds(access.last_ms)
    if access.end_ms:
        told.end_time.FromMilliseconds(access.end_ms)
    return told


def _require_seat(caller: Caller, story: Story | None) -> None:
    """Refuses who held no seat, and everybody while the match goes on: that one looks must not tell a player."""
    if story is None:
        scope = "audit or admin"
        raise Refused(Reason.ERROR_REASON_SCOPE_MISSING, f"the accesses of all matches need scope {scope}", scope=scope)
    viewer_for(story.summary, caller, None)
    name = f"matches/{story.summary.text}"
    if not story.summary.seats_of(caller.player):
        text = "who read a match is told to those who held a seat"
        raise Refused(Reason.ERROR_REASON_NOT_SEATED, text, match=name)
    if not story.summary.is_over:
        text = "who read a match is told when it is over"
        raise Refused(Reason.ERROR_REASON_NOT_DISCLOSED, text, match=name)


def _wanted(
    request: pb.ListAccessesRequest, caller: Caller, story: Story | None, *, sees_all: bool
) -> list[ColumnElement[bool]]:
    table, wanted = accesses.c, list[ColumnElement[bool]]()
    if story is not None:
        wanted.append(table.match == story.summary.match)
    if request.player:
        wanted.append(table.player == player_id(request.player, caller))
    if request.HasField("since_time"):
        wanted.append(or_(table.last_ms >= _ms("since_time", request.since_time), table.end_ms == 0))
    if request.HasField("until_time"):
        wanted.append(table.begin_ms < _ms("until_time", request.until_time))
    if request.privileged or not sees_all:
        wanted.append(table.privileged.is_(True))
    if not sees_all:
        wanted.append(table.live.is_(True))
    return wanted


def _ms(field: str, time: Timestamp) -> int:
    """Milliseconds since 1970 UTC. Refuses a time that is out of range."""
    try:
        return time.ToMilliseconds()
    except ValueError:
        raise invalid(field, "is out of range") from None
