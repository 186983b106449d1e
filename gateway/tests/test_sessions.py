from pathlib import Path

import grpc
import pytest
from argosy.v1 import session_service_pb2 as pb

from gateway.tests.edge_server import Served, bearer, reason_of, serving_edge

REQUEST = "0123456789abcdef"


async def test_a_guest_gets_a_token_that_works_and_a_secret_that_renews_it(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        guest = await served.guest("  Zoë  ")
        assert guest.player.display_name == "Zoë"
        me = await served.sessions.GetPlayer(
            pb.GetPlayerRequest(name="players/me"), metadata=bearer(guest.token.token), timeout=60
        )
        assert me.player == guest.player
        renewed = await served.sessions.CreateToken(
            pb.CreateTokenRequest(player=guest.player.name, secret=guest.secret), timeout=60
        )
        assert renewed.token.expire_time.seconds > guest.player.create_time.seconds
        other = await served.sessions.GetPlayer(
            pb.GetPlayerRequest(name=guest.player.name), metadata=bearer(renewed.token.token), timeout=60
        )
        assert other.player == guest.player


async def test_a_retried_guest_is_the_same_and_the_first_secret_stops_working(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        first, again = await served.guest(), await served.guest()
        other = await served.guest("Bob")
        assert first.player == again.player
        assert other.player.name != first.player.name
        await served.sessions.CreateToken(
            pb.CreateTokenRequest(player=first.player.name, secret=again.secret), timeout=60
        )
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.CreateToken(
                pb.CreateTokenRequest(player=first.player.name, secret=first.secret), timeout=60
            )
        assert reason_of(failure.value) == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("name", "request_id", "field"),
    [
        ("", REQUEST, "display_name"),
        ("x" * 41, REQUEST, "display_name"),
        ("a\nb", REQUEST, "display_name"),
        ("a\u202eb", REQUEST, "display_name"),
        ("Ada", "short", "request_id"),
        ("Ada", "x" * 65, "request_id"),
        ("Ada", "0123456789abcde\n", "request_id"),
    ],
)
async def test_nonsense_is_refused_by_its_field(tmp_path: Path, name: str, request_id: str, field: str) -> None:
    async with serving_edge(tmp_path) as served:
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.guest(name, request_id)
        assert failure.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert (failure.value.details() or "").startswith(field)


@pytest.mark.parametrize("player", ["", "players/me", "players/0", f"players/{'0' * 26}"])
async def test_an_unknown_player_looks_like_a_wrong_secret(tmp_path: Path, player: str) -> None:
    async with serving_edge(tmp_path) as served:
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.CreateToken(pb.CreateTokenRequest(player=player, secret="guess"), timeout=60)
        assert reason_of(failure.value) == "UNAUTHENTICATED"


async def test_a_host_makes_players_of_its_own(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        key = bearer(await served.key("host"))
        request = pb.CreatePlayerRequest(display_name="Bot 1", request_id=REQUEST)
        made = await served.sessions.CreatePlayer(request, metadata=key, timeout=60)
        again = await served.sessions.CreatePlayer(request, metadata=key, timeout=60)
        assert made.player == again.player
        request.display_name = "Bot 2"
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.CreatePlayer(request, metadata=key, timeout=60)
        assert reason_of(failure.value) == "REQUEST_ID_REUSED"
        identity = await served.edge.tokens.identify(key[0][1].removeprefix("Bearer "))
        owned = (await served.edge.tokens.identify(again.token.token)).player
        assert identity.key is not None
        assert await served.edge.players.are_owned(identity.key, [owned, identity.player])
        guest = (await served.edge.tokens.identify((await served.guest()).token.token)).player
        assert not await served.edge.players.are_owned(identity.key, [owned, guest])


async def test_only_a_key_makes_players(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        guest = await served.guest()
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.CreatePlayer(
                pb.CreatePlayerRequest(display_name="Bot", request_id=REQUEST),
                metadata=bearer(guest.token.token),
                timeout=60,
            )
        assert reason_of(failure.value) == "SCOPE_MISSING"


async def _make_keys(served: Served, admin: tuple[tuple[str, str], ...], count: int) -> None:
    for number in range(count):
        request = pb.CreateApiKeyRequest(display_name="K", scopes=[pb.SCOPE_PLAY], request_id=f"{number:016}")
        await served.sessions.CreateApiKey(request, metadata=admin, timeout=60)


async def test_keys_are_made_listed_in_pages_and_revoked(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        admin = bearer(await served.key("admin"))
        await _make_keys(served, admin, 4)
        names, token = [], ""
        while True:
            page = await served.sessions.ListApiKeys(
                pb.ListApiKeysRequest(page_size=2, page_token=token), metadata=admin, timeout=60
            )
            names += [key.name for key in page.api_keys]
            token = page.next_page_token
            if not token:
                break
        assert len(names) == len(set(names)) == 5
        request = pb.CreateApiKeyRequest(
            display_name="Host", scopes=[pb.SCOPE_HOST, pb.SCOPE_PLAY], request_id="host" * 4
        )
        made = await served.sessions.CreateApiKey(request, metadata=admin, timeout=60)
        assert list(made.api_key.scopes) == [pb.SCOPE_PLAY, pb.SCOPE_HOST]
        me = pb.GetPlayerRequest(name="players/me")
        as_host = bearer(made.secret)
        assert (await served.sessions.GetPlayer(me, metadata=as_host, timeout=60)).player.name == made.api_key.player
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.CreateApiKey(request, metadata=admin, timeout=60)
        assert reason_of(failure.value) == "REQUEST_ID_REUSED"
        revoke = pb.RevokeApiKeyRequest(name=made.api_key.name, request_id=REQUEST)
        first = await served.sessions.RevokeApiKey(revoke, metadata=admin, timeout=60)
        again = await served.sessions.RevokeApiKey(revoke, metadata=admin, timeout=60)
        assert first.api_key.HasField("revoke_time")
        assert first == again
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.GetPlayer(me, metadata=as_host, timeout=60)
        assert reason_of(failure.value) == "UNAUTHENTICATED"


@pytest.mark.parametrize("scopes", [[], [0], [1, 9]])
async def test_a_key_needs_known_scopes(tmp_path: Path, scopes: list[int]) -> None:
    async with serving_edge(tmp_path) as served:
        request = pb.CreateApiKeyRequest(display_name="K", request_id=REQUEST)
        request.scopes.extend(scopes)  # type: ignore[arg-type]  # numbers that are no scopes are the point
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.CreateApiKey(request, metadata=bearer(await served.key("admin")), timeout=60)
        assert reason_of(failure.value) == "INVALID_REQUEST"


@pytest.mark.parametrize("name", ["", "apiKeys/", "apiKeys/0123456789abcdef", "apiKeys/\0"])
async def test_a_key_that_is_not_there_cannot_be_revoked(tmp_path: Path, name: str) -> None:
    async with serving_edge(tmp_path) as served:
        request = pb.RevokeApiKeyRequest(name=name, request_id=REQUEST)
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.sessions.RevokeApiKey(request, metadata=bearer(await served.key("admin")), timeout=60)
        assert reason_of(failure.value) == "NOT_FOUND"
