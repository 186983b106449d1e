"""Adds what only the gateway knows to what replay says: the names that people have given themselves."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from argosy.v1 import access_pb2
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

    async def name_accesses(response: bytes) -> bytes:
        page = access_pb2.ListAccessesResponse.FromString(response)
        await _name_holders([access for access in page.accesses if access.player], players)
        return page.SerializeToString()

    return {"ListMatches": name_matches, "ListReplays": name_replays, "ListAccesses": name_accesses}


async def _add_names(page: pb.ListMatchesResponse | pb.ListReplaysResponse, players: Players) -> None:
    await _name_holders([seat for match in page.matches for seat in match.seats if seat.player], players)


async def _name_holders(
    holders: Sequence[pb.MatchSummary.Seat] | Sequence[access_pb2.Access], players: Players
) -> None:
    """Adds the names of the players that these name."""
    known = {holder.player: ids.from_text(holder.player.removeprefix("players/")) for holder in holders}
    names = await players.display_names(set(known.values())) if known else {}
    for holder in holders:
        holder.display_name = names.get(known[holder.player], "")
