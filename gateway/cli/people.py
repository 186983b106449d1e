"""How matches, seats and ends are said to people."""

from collections.abc import Sequence

from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb

from gateway.cli import phrases


def name_seats(match: match_pb.Match, language: str) -> list[str]:
    """A name for each seat: its number, who holds it, and whether that is the caller."""
    holders = (_holder(seat, number in match.own_seats, language) for number, seat in enumerate(match.seats))
    return [phrases.SEAT_OF(language, seat=number, who=who) for number, who in enumerate(holders)]


def short_name(match: str) -> str:
    """The match's name as one types it."""
    return match.removeprefix("matches/")


def tell_end(end: entry_pb2.End, names: Sequence[str], language: str) -> str:
    """How a match ended, a line for each seat's score."""
    outcome = entry_pb2.End.Outcome.Name(end.outcome).removeprefix("OUTCOME_")
    said = phrases.OUTCOMES[outcome](language) if outcome in phrases.OUTCOMES else outcome
    why = f"{said}: {end.reason}" if end.reason != outcome else said
    scores = [f"  {score:g}  {_of(names, seat, language)}" for seat, score in enumerate(end.scores)]
    return "\n".join([phrases.OVER(language, why=why), *scores])


def _holder(seat: match_pb.Match.Seat, is_own: bool, language: str) -> str:
    if seat.bot_policy:
        return phrases.BOT(language, policy=seat.bot_policy)
    if is_own:
        return phrases.YOU(language)
    return seat.display_name or (phrases.SOMEBODY if seat.player else phrases.OPEN)(language)


def _of(names: Sequence[str], seat: int, language: str) -> str:
    return names[seat] if seat < len(names) else phrases.SEAT(language, seat=seat)
