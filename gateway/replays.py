"""Adds what only the gateway knows to what replay says: the names that people have given themselves."""

from collections.abc import Awaitable, Callable, Mapping

from argosy.v1 import replay_service_pb2 as pb

from gateway.accounts.players import Players
from services.kit.log import ids

Finish = Callable[[bytes], Awaitable[bytes]]


def finishing(players: Players) -> Mapping[str, Finish]:
    """What is done to responses of ReplayService, by method."""

    async def name_matches(response: bytes) -> bytes:
        page = pb.ListMatchesResponse.FromString(response)
        await _add_names(page, players)
        return page.SerializeToString()

    async def name_replays(response: bytes) -> bytes:
        page = pb.ListReplaysResponse.FromString(response)
        await _add_names(page, players)
        return page.SerializeToString()

    return {"ListMatches": name_matches, "ListReplays": name_replays}


async def _add_names(page: pb.ListMatchesResponse | pb.ListReplaysResponse, players: Players) -> None:
    seats = [seat for match in page.matches for seat in match.seats if seat.player]
    holders = {seat.player: ids.from_text(seat.player.removeprefix("players/")) for seat in seats}
    names = await players.display_names(set(holders.values())) if holders else {}
    for seat in seats:
        seat.display_name = names.get(holders[seat.player], "")
