"""The start of a match: what the rules say of its settings and seats, and the deal."""

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from services.kit import chain
from services.kit.errors import Reason, Refused
from services.match import bots, deciding, drafts, lines
from services.match.creation import Wish
from services.match.drafts import Draft
from services.match.games import GameEntry
from services.match.seating import Seats
from services.match.table import Table, wanted_by_all
from services.match.tables import Tables

_NOTHING = rules_v1.Wanted()


async def checked_settings(wish: Wish, options: entry_pb2.MatchOptions) -> bytes:
    """The settings in full. Every number of seats that the match may start with must be possible."""
    for seats in {options.min_seats, options.max_seats}:
        response = await _ask(wish.game, wish.settings, seats, b"", _NOTHING)
    return response.settings


async def with_start(tables: Tables, table: Table, draft: Draft, held: Seats) -> Draft:
    """The draft, with the start in it when these seats let the match start.

    Nobody else may use the table meanwhile: it shows these seats until the rules have answered.
    """
    before, table.held = table.held, held
    try:
        seats = drafts.starting_seats(table)
        if seats:
            await _add_start(tables, table, draft, seats)
    finally:
        table.held = before
    return draft


async def _add_start(tables: Tables, table: Table, draft: Draft, seats: int) -> None:
    given = (held.contribution if held else b"" for held in table.held[:seats])
    entropy = chain.start_entropy(chain.match_key(table.seed, given))
    await bots.mark(tables, table, table.held[:seats])
    wanted = wanted_by_all(table, _NOTHING)
    response = await _ask(table.game, table.created.settings, seats, entropy, wanted)
    draft.part.start.seats = seats
    drafts.add_decision(draft, response.decision)


async def _ask(
    game: GameEntry, settings: bytes | None, seats: int, entropy: bytes, wanted: rules_v1.Wanted
) -> rules_v1.StartMatchResponse:
    about = game.description
    request = rules_v1.StartMatchRequest(
        game=about.id, rules_version=about.rules_version, seats=seats, entropy=entropy, wanted=wanted
    )
    if settings is not None:
        request.settings = settings
    try:
        response: rules_v1.StartMatchResponse = await lines.answered(game.stub.StartMatch, request)
    except grpc.aio.AioRpcError as error:
        raise deciding.unavailable(game, error) from None
    if response.WhichOneof("outcome") == "refusal":
        raise _bad_settings(about.id, response.refusal)
    return response


def _bad_settings(game: str, refusal: rules_v1.Refusal) -> Refused:
    return Refused(
        Reason.ERROR_REASON_BAD_SETTINGS,
        f"{game} refuses these settings: {refusal.code or refusal.field}",
        game=f"games/{game}",
        rule=refusal.code,
        field=refusal.field,
    )
