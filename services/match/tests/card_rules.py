"""A rules service that describes one game of cards, on a real port; for tests of those who talk to rules services."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.rules.v1 import rules_service_pb2_grpc as rules_grpc
from argosy.v1 import audience_pb2
from google.protobuf import descriptor_pb2

FIELD = descriptor_pb2.FieldDescriptorProto


def card_file(package: str = "cards.v1") -> descriptor_pb2.FileDescriptorProto:
    """Settings, Action, Event and Position, each with one optional number `card`."""
    file = descriptor_pb2.FileDescriptorProto(name=package.replace(".", "/") + "/cards.proto", package=package)
    file.syntax = "proto3"
    file.dependency.append("argosy/v1/audience.proto")
    file.options.Extensions[audience_pb2.file_audience] = audience_pb2.AUDIENCE_PUBLIC
    for name in ("Settings", "Action", "Event", "Position"):
        message = file.message_type.add(name=name)
        message.oneof_decl.add(name="_card")
        message.field.add(
            name="card",
            number=1,
            type=FIELD.TYPE_INT32,
            label=FIELD.LABEL_OPTIONAL,
            oneof_index=0,
            proto3_optional=True,
        )
    return file


def card_files(package: str) -> descriptor_pb2.FileDescriptorSet:
    """That file and what it needs, dependencies first."""
    files = descriptor_pb2.FileDescriptorSet()
    for needed in (descriptor_pb2.DESCRIPTOR, audience_pb2.DESCRIPTOR):
        needed.CopyToProto(files.file.add())
    files.file.append(card_file(package))
    return files


def card_game(game: str = "cards", rules_version: str = "1.0.0", package: str = "cards.v1") -> rules_v1.Game:
    """A description that fits."""
    return rules_v1.Game(
        id=game,
        rules_version=rules_version,
        rules_digest=b"d" * 32,
        titles=[rules_v1.Game.Text(language="en", text="Cards")],
        min_seats=2,
        max_seats=4,
        default_seats=2,
        descriptors=card_files(package),
        default_settings=b"\x08\x05",
        samples=[rules_v1.Game.Sample(settings=b"\x08\x05", seats=2)],
        assets=[rules_v1.Game.Asset(name="cards.json", media_type="application/json", size=2)],
        refusal_codes=[rules_v1.Game.RefusalCode(code="NOT_YOURS", explanation="The card is another's.")],
        settings_type=f"{package}.Settings",
        action_type=f"{package}.Action",
        event_type=f"{package}.Event",
        position_type=f"{package}.Position",
    )


class CardRules(rules_grpc.RulesServiceServicer):
    """Describes `games`, which a test may change while it serves."""

    def __init__(self, games: Sequence[rules_v1.Game]) -> None:
        self.games = list(games)

    async def DescribeGames(self, request: rules_v1.DescribeGamesRequest, context: Any) -> Any:  # noqa: N802, ARG002 - gRPC's name and signature
        """The games as they are now."""
        return rules_v1.DescribeGamesResponse(games=self.games)

    async def ReadAsset(self, request: rules_v1.ReadAssetRequest, context: Any) -> Any:  # noqa: N802 - gRPC's name
        """The one asset."""
        if request.name != "cards.json":
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such asset")
        return rules_v1.ReadAssetResponse(content=b"{}", media_type="application/json")

    async def DrawPosition(self, request: rules_v1.DrawPositionRequest, context: Any) -> Any:  # noqa: N802, ARG002 - gRPC's name and signature
        """Who looks, and the card of each event."""
        sentences = [f"card {event[1]}" for event in request.events]
        return rules_v1.DrawPositionResponse(text=f"seen by {request.viewer}", sentences=sentences)


def card_rules(*games: rules_v1.Game) -> CardRules:
    """A rules service for these games; what else one can ask it is not implemented."""
    return CardRules(games)  # type: ignore[abstract]  # the methods it lacks answer UNIMPLEMENTED


@asynccontextmanager
async def serving(rules: CardRules, address: str = "127.0.0.1:0") -> AsyncIterator[str]:
    """Serves the rules for the length of the block; gives the address."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    rules_grpc.add_RulesServiceServicer_to_server(rules, server)
    port = server.add_insecure_port(address)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)
