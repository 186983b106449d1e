"""Seats taken and made ready before the start: the drafts, and who would hold what after them."""

from argosy.v1 import entry_pb2

from services.kit.errors import Reason, Refused, invalid, not_found
from services.match import creation, drafts
from services.match.drafts import Draft
from services.match.table import Held, Table, held_of
from services.match.viewers import require_sight

Taken = entry_pb2.PlatformEvent.SeatsTaken.Taken
Seats = list[Held | None]
"""Who holds which seat, by number; None where it is open."""


def taken(table: Table, wanted: Taken, *, asked_by: bytes, any_seat: bool) -> tuple[Draft, Seats]:
    """A seat is taken: the one named, or the first open one. Only the creator may give one to a bot."""
    require_sight(table, asked_by)
    drafts.require_open(table)
    creation.check_policy(table.game, wanted.bot_policy)
    creation.check_contribution(wanted.contribution)
    if wanted.bot_policy and table.created.creator != asked_by:
        raise not_found(f"matches/{table.text}")
    seat = Taken()
    seat.CopyFrom(wanted)
    seat.seat = _open_seat(table, None if any_seat else wanted.seat)
    if not wanted.bot_policy:
        _check_one_seat_each(table, wanted.player)
    part = entry_pb2.EntryPart(seat=seat.seat)
    part.cause.seats_taken.seats.append(seat)
    held = list(table.held)
    held[seat.seat] = held_of(table, seat)
    return Draft(part), held


def readied(table: Table, player: bytes, seat: int | None, contribution: bytes) -> tuple[Draft, Seats]:
    """A seat of the player's is ready. A contribution given before stands where none comes now."""
    require_sight(table, player)
    drafts.require_open(table)
    creation.check_contribution(contribution)
    own = drafts.own_seat(table, player, seat)
    part = entry_pb2.EntryPart(seat=own)
    part.cause.seat_readied.seat, part.cause.seat_readied.contribution = own, contribution
    held, mine = list(table.held), table.held[own]
    assert mine is not None
    held[own] = Held(player, mine.bot_policy, contribution or mine.contribution, is_ready=True)
    return Draft(part), held


def readied_by_time(table: Table) -> tuple[Draft, Seats]:
    """Everybody counts as ready: the time to say so is over."""
    part = entry_pb2.EntryPart()
    part.cause.seat_readied.seat = -1
    held = [None if h is None else Held(h.player, h.bot_policy, h.contribution, is_ready=True) for h in table.held]
    return Draft(part), held


def left(table: Table, player: bytes, seat: int | None) -> Draft:
    """A seat of the player's is given up."""
    require_sight(table, player)
    drafts.require_open(table)
    own = drafts.own_seat(table, player, seat)
    part = entry_pb2.EntryPart(seat=own)
    part.cause.seat_left.seat = own
    return Draft(part)


def _open_seat(table: Table, wanted: int | None) -> int:
    if wanted is not None and not 0 <= wanted < len(table.held):
        raise invalid("seat", f"is from 0 to {len(table.held) - 1}")
    free = [i for i, held in enumerate(table.held) if held is None and wanted in (None, i)]
    if not free:
        text = "all seats are taken" if wanted is None else f"seat {wanted} is taken"
        raise Refused(Reason.ERROR_REASON_SEAT_TAKEN, text, **drafts.facts(table))
    return free[0]


def _check_one_seat_each(table: Table, player: bytes) -> None:
    seats = table.seats_of(player)
    if seats and table.options.several_seats_each == entry_pb2.MatchOptions.SEVERAL_SEATS_FORBIDDEN:
        text = f"you hold seat {seats[0]} already"
        raise Refused(Reason.ERROR_REASON_ALREADY_SEATED, text, seat=seats[0], **drafts.facts(table))
