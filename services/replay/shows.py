"""What a viewer may have of a history: its entries, opened or not, and positions."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2, match_service_pb2, replay_service_pb2

from services.kit import parts
from services.kit.clock import now_ms
from services.kit.errors import Reason, Refused, invalid
from services.kit.log.entries import Entry
from services.kit.parts import Sealed
from services.match import deciding
from services.match.games import GameEntry, packed
from services.match.viewers import Options, Viewer, is_open, may_have, viewer_of
from services.replay.callers import Caller
from services.replay.histories import Story
from services.replay.summary import Summary, public_part

_DEADLINE_S = 30.0


@dataclass(frozen=True, slots=True)
class Show:
    """A history for one viewer. `entries` are those that it may have now."""

    story: Story
    viewer: Viewer
    entries: tuple[Entry, ...]

    def seen(self, after_version: int) -> Iterator[match_service_pb2.Entry]:
        """Entries as the viewer received them."""
        for entry in self.entries[after_version:]:
            yield parts.seen(_sealed(entry), self.story.seed, self.viewer.seats)

    def opened(self, after_version: int, *, with_seed: bool) -> Iterator[replay_service_pb2.OpenedEntry]:
        """Entries with every part opened: only after `require_open`. Without the seed it can be read, not verified."""
        for entry in self.entries[after_version:]:
            sealed = _sealed(entry)
            yield replay_service_pb2.OpenedEntry(
                version=entry.version,
                digest=entry.digest,
                public_part=sealed.public_part,
                sealed_parts=sealed.sealed_parts if with_seed or entry.version > 1 else _seedless(sealed),
            )


def is_late_for(summary: Summary, caller: Caller) -> bool:
    """Whether the caller is shown this match late, so that lists do not say how far it is."""
    is_delayed = summary.options.spectators == Options.SPECTATORS_DELAYED and not summary.is_over
    may_look = caller.is_host or caller.is_auditor or bool(summary.seats_of(caller.player))
    return is_delayed and not may_look


def show(story: Story, viewer: Viewer) -> Show:
    """The history as far as this viewer may have it now."""
    entries, now = tuple(story.entries), now_ms()
    if viewer.is_delayed:
        count = 0
        while count < len(entries) and may_have(story.summary, viewer, public_part(entries[count]), now):
            count += 1
        entries = entries[:count]
    return Show(story, viewer, entries)


class Opening(Enum):
    """Whether everything of a match may be shown to a caller."""

    CLOSED = "closed"
    WITH_REASON = "with reason"
    """By its scope, when it says why."""
    BY_SCOPE = "by scope"
    """By its scope, without a word."""
    DISCLOSED = "disclosed"
    """To everybody who may see the match."""


def viewer_for(about: Summary, caller: Caller, seat: int | None) -> Viewer:
    """The viewer that the caller is. Who runs or audits the platform may look at any match as a spectator."""
    return _viewer(about, caller, seat)[0]


def needs_scope(story: Story, caller: Caller, seat: int | None) -> bool:
    """Whether the caller is that viewer by its scope only."""
    return _viewer(story.summary, caller, seat)[1]


def opening(story: Story, caller: Caller) -> Opening:
    """Whether everything of the match may be shown to the caller.

    Its disclosure opens it to all. An auditor may always, a host but for DISCLOSURE_NEVER; both say why while the match
    goes on, and a host until the disclosure is its own to make.
    """
    summary = story.summary
    if is_open(summary, now_ms()):
        return Opening.DISCLOSED
    disclosure = summary.options.disclosure
    if caller.is_auditor:
        return Opening.BY_SCOPE if summary.is_over else Opening.WITH_REASON
    if not caller.is_host or disclosure == Options.DISCLOSURE_NEVER:
        return Opening.CLOSED
    is_own = summary.is_over and disclosure == Options.DISCLOSURE_BY_HOST
    return Opening.BY_SCOPE if is_own else Opening.WITH_REASON


def require_open(story: Story, caller: Caller) -> Opening:
    """How the match is open to the caller. Refuses NOT_DISCLOSED."""
    found = opening(story, caller)
    if found is Opening.CLOSED:
        text = "what was hidden in this match is not disclosed"
        raise Refused(Reason.ERROR_REASON_NOT_DISCLOSED, text, match=f"matches/{story.summary.text}")
    return found


def has_seed(story: Story, caller: Caller) -> bool:
    """Whether what is opened to the caller has the seed in it: it would tell a host what comes."""
    return story.summary.is_over or caller.is_auditor


def _viewer(summary: Summary, caller: Caller, seat: int | None) -> tuple[Viewer, bool]:
    """The viewer, and whether the caller is it by its scope only."""
    if seat is not None or not (caller.is_host or caller.is_auditor) or summary.seats_of(caller.player):
        return viewer_of(summary, caller.player, seat), False
    try:
        ordinary = viewer_of(summary, caller.player, None)
    except Refused:
        return Viewer(), True
    return Viewer(), ordinary.is_delayed


async def position_at(
    show: Show, game: GameEntry, version: int | None, opens: frozenset[int]
) -> replay_service_pb2.GetReplayPositionResponse:
    """The position after an entry, opened for these seats."""
    last = len(show.entries)
    at = last if version is None else version
    if not 1 <= at <= last:
        raise invalid("version", f"is from 1 to {last}")
    seen = next(Show(show.story, show.viewer, show.entries[:at]).seen(at - 1))
    told = replay_service_pb2.GetReplayPositionResponse(
        head=match_service_pb2.Head(version=at, digest=seen.digest),
        last_version=last,
        game=f"games/{show.story.summary.game}",
    )
    part = entry_pb2.EntryPart.FromString(next((own.part for own in seen.own if own.part), seen.public_part))
    told.events.extend(packed(game.description.event_type, event) for event in part.game_events)
    if part.HasField("seat"):
        told.seat = part.seat
    seats, events = _events(show.entries[:at])
    if seats:
        folded = await _folded(show, game, seats, events)
        view = game.position_redactor.view(folded.position, opens)
        told.position.CopyFrom(packed(game.description.position_type, view))
        told.status.turn.extend(folded.status.turn)
        told.status.may_act.extend(folded.status.may_act)
    return told


async def _folded(show: Show, game: GameEntry, seats: int, events: list[bytes]) -> rules_v1.FoldEventsResponse:
    about = show.story.summary
    setup = rules_v1.Basis.Setup(settings=about.settings, seats=seats)
    basis = rules_v1.Basis(game=about.game, rules_version=about.rules_version, setup=setup, events=events)
    request = rules_v1.FoldEventsRequest(basis=basis, wanted=rules_v1.Wanted(position=True))
    try:
        return await game.stub.FoldEvents(request, timeout=_DEADLINE_S)
    except grpc.aio.AioRpcError as error:
        raise deciding.unavailable(game, error) from None


def _events(entries: tuple[Entry, ...]) -> tuple[int, list[bytes]]:
    """With how many seats the match was started, 0 before, and all its events, whole."""
    seats, events = 0, list[bytes]()
    for entry in entries:
        whole = parts.server_part(_sealed(entry))
        seats = whole.start.seats if whole.HasField("start") else seats
        events.extend(whole.game_events)
    return seats, events


def _seedless(first: Sealed) -> list[bytes]:
    """The sealed parts of entry 1 without the seed."""
    whole = parts.server_part(first)
    whole.server.ClearField("seed")
    return [*first.sealed_parts[:-1], whole.SerializeToString(deterministic=True)]


def _sealed(entry: Entry) -> Sealed:
    return parts.opened(entry.version, entry.digest, entry.body)
