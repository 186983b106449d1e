"""What a player has achieved, by game, counted from the library (argosy.v1.GameRecord)."""

from collections.abc import Iterable
from typing import Final

from argosy.v1 import record_pb2 as pb
from argosy.v1 import replay_service_pb2
from sqlalchemy import select

from services.match.table import Phase
from services.replay.callers import Caller, player_id
from services.replay.library import Library
from services.replay.pages import held_by, seen_by
from services.replay.schema import matches
from services.replay.summary import Summary

_MOST: Final = 20_000
"""Matches that are counted, the last ended first."""
_Ruling = replay_service_pb2.Ruling


async def record_of(library: Library, name: str, caller: Caller) -> list[pb.GameRecord]:
    """The records of `players/{player}`, from the matches that the caller may see."""
    player = player_id(name, caller)
    wanted = (held_by(player), matches.c.state == Phase.ENDED.value, *seen_by(caller))
    query = select(matches.c.id).where(*wanted).order_by(matches.c.end_ms.desc()).limit(_MOST)
    return counted(await library.select(query), player)


def counted(summaries: Iterable[Summary], player: bytes) -> list[pb.GameRecord]:
    """The records of a player in these ended matches."""
    records = dict[str, pb.GameRecord]()
    for summary in summaries:
        ruling = _Ruling.FromString(summary.ruling)
        if ruling.kind == _Ruling.KIND_VOID:
            continue
        scores = ruling.scores if ruling.kind == _Ruling.KIND_ADJUDICATE else summary.end.scores if summary.end else ()
        own = [scores[seat] for seat in summary.seats_of(player) if seat < len(scores)]
        record = records.setdefault(summary.game, pb.GameRecord(game=f"games/{summary.game}"))
        _count(record, max(own, default=None))
    return [records[game] for game in sorted(records)]


def _count(record: pb.GameRecord, score: float | None) -> None:
    record.played += 1
    record.won += score is not None and score >= 1
    record.lost += score is not None and score <= 0
    record.drawn += score is None or 0 < score < 1
    record.score += score or 0
