"""How matches, seats and ends are said to people."""

from collections.abc import Sequence

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb


def name_seats(match: match_pb.Match) -> list[str]:
    """A name for each seat: its number, who holds it, and whether that is the caller."""
    return [_name(number, seat, number in match.own_seats) for number, seat in enumerate(match.seats)]


def short_name(match: str) -> str:
    """The match's name as one types it."""
    return match.removeprefix("matches/")


def tell_end(end: entry_pb2.End, names: Sequence[str]) -> str:
    """How a match ended, a line for each seat's score."""
    outcome = entry_pb2.End.Outcome.Name(end.outcome).removeprefix("OUTCOME_")
    reason = f"{outcome}: {end.reason}" if end.reason != outcome else outcome
    scores = [f"  {score:g}  {_of(names, seat)}" for seat, score in enumerate(end.scores)]
    return "\n".join([f"The match is over, {reason}.", *scores])


def _name(number: int, seat: match_pb.Match.Seat, is_own: bool) -> str:
    if seat.bot_policy:
        who = f"bot ({seat.bot_policy})"
    else:
        who = "you" if is_own else seat.display_name or (seat.player and "somebody") or "open"
    return f"seat {number}: {who}"


def _of(names: Sequence[str], seat: int) -> str:
    return names[seat] if seat < len(names) else f"seat {seat}"
