"""How a request comes to a match: the history for its caller, as it may see it, and the look that is to be noted."""

from dataclasses import replace

from argosy.v1 import knowledge_pb2
from argosy.v1 import replay_service_pb2 as pb

from services.kit.errors import invalid
from services.kit.names import match_id
from services.match.viewers import Viewer
from services.replay.callers import Caller
from services.replay.histories import Histories, Story
from services.replay.looks import Look, require_reason
from services.replay.shows import Opening, Show, needs_scope, require_open, show, viewer_for

Read = pb.ReadReplayRequest | pb.GetReplayPositionRequest | pb.ExportReplayRequest
Question = knowledge_pb2.FindFirstSightRequest | knowledge_pb2.ListSightsRequest


async def look(histories: Histories, method: str, request: Read, caller: Caller) -> tuple[Show, Look]:
    """What the caller sees, and the look to be noted. Refuses what it may not see, and missing reasons."""
    if request.opened:
        is_position = isinstance(request, pb.GetReplayPositionRequest)
        return await open_up(histories, method, request, caller, seat=None if is_position else seat_of(request))
    story, seat = await _story(histories, request.name, caller), seat_of(request)
    found = Look(method, caller, story, viewer_for(story.summary, caller, seat), reason=request.reason)
    if needs_scope(story, caller, seat):
        found = replace(found, by_scope=True)
        if not story.summary.is_over:
            require_reason(found)
    return show(story, found.viewer), found


async def open_up(
    histories: Histories, method: str, request: Read | Question, caller: Caller, *, seat: int | None = None
) -> tuple[Show, Look]:
    """The same of what is opened to the caller."""
    story = await _story(histories, request.name, caller)
    viewer = viewer_for(story.summary, caller, seat)
    found = require_open(story, caller)
    by_scope = found is not Opening.DISCLOSED
    looked = Look(method, caller, story, viewer, opened=True, by_scope=by_scope, reason=request.reason)
    if found is Opening.WITH_REASON:
        require_reason(looked)
    return show(story, viewer), looked


def looking_as(story: Story, seat: int | None) -> tuple[Show, frozenset[int]]:
    """The history as this seat sees it, or with everything shown; and the seats opened."""
    everything = frozenset(range(story.summary.seats or len(story.summary.held)))
    if seat is not None and seat not in everything:
        raise invalid("seat", f"is from 0 to {len(everything) - 1}")
    opens = everything if seat is None else frozenset((seat,))
    return show(story, Viewer(tuple(sorted(opens)), seat)), opens


def seat_of(request: Read) -> int | None:
    """The seat that a request names."""
    return request.seat if request.HasField("seat") else None


async def _story(histories: Histories, name: str, caller: Caller) -> Story:
    """The history; a broken one as far as it is sound, for who looks after the platform."""
    return await histories.story(match_id(name), as_far_as_sound=caller.is_host or caller.is_auditor)
