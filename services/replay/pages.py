"""Lists of matches, page by page. A page begins after an item that never moves, so none comes twice or is left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from argosy.v1 import match_service_pb2, replay_service_pb2
from sqlalchemy import ColumnElement, and_, or_, select, tuple_

from services.kit.clock import now_ms
from services.kit.errors import invalid
from services.kit.fields import page_size
from services.kit.log import ids
from services.kit.names import game_id
from services.match.games import packed
from services.replay.callers import Caller, player_id
from services.replay.library import Library
from services.replay.schema import matches, seats
from services.replay.shows import is_late_for
from services.replay.summary import Summary
from services.replay.tokens import read_token, token_after

Match = match_service_pb2.Match
_DEFAULT, _MOST = 50, 200
Request = replay_service_pb2.ListMatchesRequest | replay_service_pb2.ListReplaysRequest


@dataclass(frozen=True, slots=True)
class Page:
    """Some matches, and the token of the page after them: "" on the last."""

    summaries: list[Summary]
    next_token: str


async def list_matches(library: Library, request: replay_service_pb2.ListMatchesRequest, caller: Caller) -> Page:
    """Matches that the caller may see, newest first."""
    wanted = _wanted(request, caller)
    if request.states:
        wanted.append(or_(*(_is_in(state) for state in sorted(set(request.states)))))
    if request.idle_seconds < 0:
        raise invalid("idle_seconds", "must not be negative")
    if request.idle_seconds:
        wanted.append(matches.c.update_ms <= now_ms() - request.idle_seconds * 1000)
    page = await _page(library, request, wanted, matches.c.create_ms)
    if request.idle_seconds:  # who is shown a match late does not find out so when its last entry came
        return replace(page, summaries=[summary for summary in page.summaries if not is_late_for(summary, caller)])
    return page


async def list_replays(library: Library, request: replay_service_pb2.ListReplaysRequest, caller: Caller) -> Page:
    """Matches that were played and are over, of those that the caller may see, last ended first."""
    played = [matches.c.end_ms > 0, matches.c.seats > 0]
    return await _page(library, request, [*_wanted(request, caller), *played], matches.c.end_ms)


def shown(summary: Summary, settings_type: str) -> replay_service_pb2.MatchSummary:
    """The match as it stands in a list; the gateway adds people's names."""
    held = summary.held[: summary.seats] if summary.seats else summary.held
    told = replay_service_pb2.MatchSummary(
        name=f"matches/{summary.text}",
        game=f"games/{summary.game}",
        rules_version=summary.rules_version,
        settings=packed(settings_type, summary.settings) if settings_type else None,
        state=Match.STATE_FROZEN if summary.is_quarantined else summary.phase.value,
        head=match_service_pb2.Head(version=summary.version, digest=summary.digest),
        end=summary.end,
        archived=summary.is_archived,
        ruling=replay_service_pb2.Ruling.FromString(summary.ruling) if summary.ruling else None,
        rulings=summary.rulings,
    )
    for number, seat in enumerate(held):
        place = told.seats.add()
        if seat is not None:
            place.player = "" if seat.bot_policy else f"players/{ids.to_text(seat.player)}"
            place.bot_policy = place.display_name = seat.bot_policy
        if summary.end is not None and number < len(summary.end.scores):
            place.score = summary.end.scores[number]
    told.create_time.FromMilliseconds(summary.create_ms)
    told.update_time.FromMilliseconds(summary.update_ms)
    return told


def without_progress(told: replay_service_pb2.MatchSummary) -> replay_service_pb2.MatchSummary:
    """The same without what says how far the match is, for who is shown it late; rulings name the head they are on."""
    for field in ("head", "update_time", "ruling", "rulings"):
        told.ClearField(field)
    return told


def seen_by(caller: Caller) -> list[ColumnElement[bool]]:
    """Whether the match stands in lists for the caller."""
    if caller.is_host:
        return []
    mine = or_(matches.c.creator == caller.player, held_by(caller.player))
    return [or_(matches.c.is_listed.is_(True), mine)]


def _wanted(request: Request, caller: Caller) -> list[ColumnElement[bool]]:
    wanted = seen_by(caller)
    if request.game:
        wanted.append(matches.c.game == game_id(request.game))
    if request.player:
        wanted.append(held_by(player_id(request.player, caller)))
    return wanted


def held_by(player: bytes) -> ColumnElement[bool]:
    """Whether the player holds a seat."""
    return matches.c.id.in_(select(seats.c.match).where(seats.c.player == player, seats.c.bot_policy == ""))


def _is_in(state: int) -> ColumnElement[bool]:
    if state == Match.STATE_FROZEN:
        return matches.c.is_quarantined.is_(True)
    return and_(matches.c.state == state, matches.c.is_quarantined.is_(False))


async def _page(
    library: Library, request: Request, wanted: Sequence[ColumnElement[bool]], by: ColumnElement[int]
) -> Page:
    size, order = page_size(request.page_size, _DEFAULT, _MOST), tuple_(by, matches.c.id)
    query = select(matches.c.id).where(*wanted).order_by(by.desc(), matches.c.id.desc()).limit(size + 1)
    if request.page_token:
        query = query.where(order < tuple_(*read_token(request)))
    found = await library.select(query)
    rest, page = found[size:], found[:size]
    if not rest:
        return Page(page, "")
    last = page[-1]
    return Page(page, token_after(request, last.end_ms if by is matches.c.end_ms else last.create_ms, last.match))
