"""Matches that have just begun, for tests."""

from argosy.v1 import entry_pb2

from services.kit.log import ids
from services.match.creation import Options, Wish, completed, first_part
from services.match.drafts import Draft
from services.match.games import GameEntry
from services.match.table import Table, open_table


def first_draft(game: GameEntry) -> tuple[Table, Draft]:
    """An open match and its first entry."""
    wish = Wish(game, bytes([7]) * 16, None, Options(max_seats=2), (), "test")
    match = ids.match_id(wish.creator, b"any")
    part = first_part(match, wish, completed(wish.options, game), b"")
    seed = part.server.seed
    return open_table(match, game, part), Draft(part, server=entry_pb2.ServerPart(seed=seed))
