"""Summaries as rows of the library, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

from argosy.v1 import entry_pb2

from services.match.table import Phase
from services.replay.summary import Options, Seat, Summary


def row_of(summary: Summary) -> dict[str, Any]:
    """The row of `matches`."""
    is_joinable = not summary.seats and not summary.is_over
    may_look = is_joinable or summary.options.spectators != Options.SPECTATORS_NONE
    return {
        "id": summary.match,
        "home": summary.match[0],
        "version": summary.version,
        "digest": summary.digest,
        "game": summary.game,
        "rules_version": summary.rules_version,
        "settings": summary.settings,
        "options": summary.options.SerializeToString(deterministic=True),
        "creator": summary.creator,
        "most_seats": len(summary.held),
        "seats": summary.seats,
        "state": summary.phase.value,
        "create_ms": summary.create_ms,
        "update_ms": summary.update_ms,
        "end_ms": summary.end_ms,
        "ending": summary.end.SerializeToString(deterministic=True) if summary.end else None,
        "is_listed": may_look and not summary.options.invitation,
        "is_quarantined": summary.is_quarantined,
        "is_archived": summary.is_archived,
        "is_retired": summary.is_retired,
        "is_logged": summary.is_logged,
    }


def seat_rows(summary: Summary) -> list[dict[str, Any]]:
    """The rows of `seats`."""
    return [
        {"match": summary.match, "seat": number, "player": seat.player, "bot_policy": seat.bot_policy}
        for number, seat in enumerate(summary.held)
        if seat is not None
    ]


def summary_of(row: Mapping[str, Any], seats: Iterable[Mapping[str, Any]]) -> Summary:
    """The summary that was stored."""
    held: list[Seat | None] = [None] * row["most_seats"]
    for seat in seats:
        held[seat["seat"]] = Seat(bytes(seat["player"]), seat["bot_policy"])
    return Summary(
        match=bytes(row["id"]),
        version=row["version"],
        digest=bytes(row["digest"]),
        game=row["game"],
        rules_version=row["rules_version"],
        settings=bytes(row["settings"]),
        options=Options.FromString(bytes(row["options"])),
        creator=bytes(row["creator"]),
        held=held,
        seats=row["seats"],
        phase=Phase(row["state"]),
        create_ms=row["create_ms"],
        update_ms=row["update_ms"],
        end_ms=row["end_ms"],
        end=entry_pb2.End.FromString(bytes(row["ending"])) if row["ending"] is not None else None,
        is_quarantined=row["is_quarantined"],
        is_archived=row["is_archived"],
        is_retired=row["is_retired"],
        is_logged=row["is_logged"],
    )
