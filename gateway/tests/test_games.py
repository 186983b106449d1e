import asyncio
import json
import sysconfig
from pathlib import Path
from typing import Any

import grpc
import pytest
from argosy.v1 import game_service_pb2 as pb
from google.protobuf import descriptor_pb2
from google.protobuf.any_pb2 import Any as AnyMessage
from grpc_reflection.v1alpha import reflection_pb2

from gateway.tests.edge_server import Served, bearer, reason_of, serving_edge
from services.match.tests.card_rules import card_game, card_rules, serving

TYPE = "type.googleapis.com/cards.v1."


async def _me(served: Served) -> tuple[tuple[str, str], ...]:
    return bearer((await served.guest()).token.token)


async def test_games_are_listed_in_pages_and_told_in_full_one_by_one(tmp_path: Path) -> None:
    rules = card_rules(card_game(), card_game("other", package="other.v1"))
    async with serving(rules) as at, serving_edge(tmp_path, rules={"cards": at, "other": at}) as served:
        me = await _me(served)
        page = await served.games.ListGames(pb.ListGamesRequest(page_size=1), metadata=me, timeout=60)
        rest = await served.games.ListGames(
            pb.ListGamesRequest(page_token=page.next_page_token), metadata=me, timeout=60
        )
        assert [game.name for game in (*page.games, *rest.games)] == ["games/cards", "games/other"]
        assert rest.next_page_token == ""
        assert not page.games[0].HasField("descriptors")
        game = (await served.games.GetGame(pb.GetGameRequest(name="games/cards"), metadata=me, timeout=60)).game
        for made_up in ("cards", "games/cards", page.next_page_token[:-1], "\u00e4"):
            with pytest.raises(grpc.aio.AioRpcError) as failure:
                await served.games.ListGames(pb.ListGamesRequest(page_token=made_up), metadata=me, timeout=60)
            assert reason_of(failure.value) == "INVALID_REQUEST"
        assert game.default_settings == AnyMessage(type_url=f"{TYPE}Settings", value=b"\x08\x05")
        assert game.samples[0].seats == 2
        assert game.refusal_codes[0].code == "NOT_YOURS"
        assert game.descriptors.file[-1].package == "cards.v1"
        assert (game.titles[0].text, game.min_seats, game.max_seats, game.rules_version) == ("Cards", 2, 4, "1.0.0")


async def test_assets_and_drawings_come_from_the_rules_service(tmp_path: Path) -> None:
    async with serving(card_rules(card_game())) as at, serving_edge(tmp_path, rules={"cards": at}) as served:
        me = await _me(served)
        asset = await served.games.ReadAsset(
            pb.ReadAssetRequest(game="games/cards", asset="cards.json"), metadata=me, timeout=60
        )
        assert (asset.content, asset.media_type) == (b"{}", "application/json")
        position = AnyMessage(type_url=f"{TYPE}Position", value=b"\x08\x01")
        request = pb.DrawPositionRequest(game="games/cards", position=position, viewer=1, events=[b"\x08\x07"])
        drawing = await served.games.DrawPosition(request, metadata=me, timeout=60)
        assert (drawing.text, list(drawing.sentences)) == ("seen by 1", ["card 7"])
        request.position.type_url = f"{TYPE}Action"
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.games.DrawPosition(request, metadata=me, timeout=60)
        assert reason_of(failure.value) == "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("game", "asset", "reason"),
    [
        ("games/cards", "keys.json", "NOT_FOUND"),
        ("games/cards", "../cards.json", "NOT_FOUND"),
        ("games/none", "cards.json", "NOT_FOUND"),
        ("cards", "cards.json", "NOT_FOUND"),
        ("games/away", "cards.json", "RULES_UNAVAILABLE"),
    ],
)
async def test_what_is_not_there_is_refused(tmp_path: Path, game: str, asset: str, reason: str) -> None:
    async with (
        serving(card_rules(card_game())) as at,
        serving_edge(tmp_path, rules={"cards": at, "away": "127.0.0.1:1"}) as served,
    ):
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await served.games.ReadAsset(
                pb.ReadAssetRequest(game=game, asset=asset), metadata=await _me(served), timeout=60
            )
        assert reason_of(failure.value) == reason


async def test_a_rules_service_that_went_away_is_told_apart(tmp_path: Path) -> None:
    async with serving(card_rules(card_game())) as at:
        edge = serving_edge(tmp_path, rules={"cards": at})
        served = await edge.__aenter__()
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await served.games.ReadAsset(
            pb.ReadAssetRequest(game="games/cards", asset="cards.json"), metadata=await _me(served), timeout=60
        )
    assert reason_of(failure.value) == "RULES_UNAVAILABLE"
    await edge.__aexit__(None, None, None)


async def test_anybody_may_ask_what_the_platform_is(tmp_path: Path) -> None:
    async with serving_edge(tmp_path, build="42") as served:
        platform = await served.games.GetPlatform(pb.GetPlatformRequest(), timeout=60)
        assert platform.build == "42"
        uses = pb.GetPlatformResponse.PublicKey
        assert [key.use for key in platform.public_keys] == [uses.USE_TOKEN, uses.USE_RECEIPT, uses.USE_LOG]
        assert all(len(key.key) == 32 for key in platform.public_keys)
        assert {limit.name: limit.value for limit in platform.limits}["request_bytes"] == 65536
        assert platform.durability == pb.GetPlatformResponse.DURABILITY_FLUSHED


async def _reflected(
    served: Served, request: reflection_pb2.ServerReflectionRequest, version: str = "v1"
) -> reflection_pb2.ServerReflectionResponse:
    call = served.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    responses: list[reflection_pb2.ServerReflectionResponse] = [r async for r in call(iter([request]), timeout=60)]
    return responses[0]


def _files(response: reflection_pb2.ServerReflectionResponse) -> list[str]:
    protos = response.file_descriptor_response.file_descriptor_proto
    return [descriptor_pb2.FileDescriptorProto.FromString(proto).name for proto in protos]


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
async def test_reflection_knows_services_and_the_messages_of_games(tmp_path: Path, version: str) -> None:
    async with serving(card_rules(card_game())) as at, serving_edge(tmp_path, rules={"cards": at}) as served:
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        services = (await _reflected(served, request, version)).list_services_response.service
        assert {"argosy.v1.GameService", "grpc.reflection.v1.ServerReflection"} <= {s.name for s in services}
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="argosy.v1.GameService")
        assert "argosy/v1/game_service.proto" in _files(await _reflected(served, request, version))
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="cards.v1.Position")
        assert "cards/v1/cards.proto" in _files(await _reflected(served, request, version))
        request = reflection_pb2.ServerReflectionRequest(file_by_filename="cards/v1/cards.proto")
        assert "cards/v1/cards.proto" in _files(await _reflected(served, request, version))
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="cards.v1.Nothing")
        assert (await _reflected(served, request, version)).HasField("error_response")


async def test_buf_curl_reads_and_writes_the_messages_of_games(tmp_path: Path) -> None:
    async with serving(card_rules(card_game())) as at, serving_edge(tmp_path, rules={"cards": at}) as served:
        token = (await served.guest()).token.token
        position = {"@type": f"{TYPE}Position", "card": 3}
        drawn = await _curl(served, token, "DrawPosition", {"game": "games/cards", "position": position, "viewer": 1})
        assert drawn == {"text": "seen by 1"}
        got = await _curl(served, token, "GetGame", {"name": "games/cards"})
        assert got["game"]["defaultSettings"] == {"@type": f"{TYPE}Settings", "card": 5}


async def _curl(served: Served, token: str, method: str, request: dict[str, Any]) -> Any:
    buf = Path(sysconfig.get_path("scripts")) / "buf"
    arguments = ("--protocol", "grpc", "--http2-prior-knowledge", "-H", f"authorization: Bearer {token}")
    url = f"http://{served.address}/argosy.v1.GameService/{method}"
    process = await asyncio.create_subprocess_exec(
        *(buf, "curl", *arguments, "-d", json.dumps(request), url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    answer, problem = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, problem.decode()
    return json.loads(answer)


async def test_reflection_knows_extensions(tmp_path: Path) -> None:
    async with serving_edge(tmp_path) as served:
        request = reflection_pb2.ServerReflectionRequest()
        request.file_containing_extension.containing_type = "google.protobuf.FieldOptions"
        request.file_containing_extension.extension_number = 51001
        assert "argosy/v1/audience.proto" in _files(await _reflected(served, request))
        request = reflection_pb2.ServerReflectionRequest(all_extension_numbers_of_type="google.protobuf.FieldOptions")
        numbers = (await _reflected(served, request)).all_extension_numbers_response.extension_number
        assert 51002 in numbers
