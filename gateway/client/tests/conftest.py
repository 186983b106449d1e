"""A small game, histories of it made by CHAIN.md's formulas, and a server that plays a script."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from argosy.client import Client, Game, Patience, chain, ids
from argosy.v1 import (
    audience_pb2,
    entry_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
)
from google.protobuf import descriptor_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

MATCH = "matches/0123456789abcdefghjkmnpqrs"
SEED = bytes(range(32))
_FIELD = descriptor_pb2.FieldDescriptorProto
_KINDS = {"text": _FIELD.TYPE_STRING, "number": _FIELD.TYPE_INT32}


def _message(name: str, *fields: tuple[str, int, str, str]) -> descriptor_pb2.DescriptorProto:
    message = descriptor_pb2.DescriptorProto(name=name)
    for number, (label, repeated, kind, audience) in enumerate(fields, 1):
        made = message.field.add(
            name=label, number=number, label=_FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
        )
        made.type = _KINDS.get(kind, _FIELD.TYPE_MESSAGE)
        if kind not in _KINDS:
            made.type_name = f".toy.v1.{kind}"
        if audience:
            made.options.Extensions[audience_pb2.audience] = getattr(audience_pb2, f"AUDIENCE_{audience}")
    return message


def toy() -> game_service_pb2.Game:
    file = descriptor_pb2.FileDescriptorProto(name="toy/v1/toy.proto", package="toy.v1", syntax="proto3")
    file.dependency.append("argosy/v1/audience.proto")
    file.options.Extensions[audience_pb2.file_audience] = audience_pb2.AUDIENCE_PUBLIC
    hand = _message("Hand", ("cards", 1, "number", "SEATS"), ("owner", 0, "number", ""))
    dealt = _message("Dealt", ("hand", 0, "Hand", ""), ("said", 0, "text", ""))
    empty = [_message(n, ("said", 0, "text", "")) for n in ("Settings", "Action", "Position")]
    file.message_type.extend([hand, dealt, _message("Event", ("dealt", 0, "Dealt", "")), *empty])
    files = descriptor_pb2.FileDescriptorSet()
    for known in (descriptor_pb2.DESCRIPTOR, audience_pb2.DESCRIPTOR):
        known.CopyToProto(files.file.add())
    files.file.append(file)
    return game_service_pb2.Game(
        name="games/toy",
        descriptors=files,
        settings_type="toy.v1.Settings",
        action_type="toy.v1.Action",
        event_type="toy.v1.Event",
        position_type="toy.v1.Position",
    )


@dataclass
class History:
    """Entries as seat 0 of two receives them."""

    game: Game
    entries: list[match_service_pb2.Entry] = field(default_factory=list)
    digest: bytes = chain.first_digest(ids.raw_id(MATCH))

    def add(
        self, *, end: bool = False, own: bytes | None = None, public: bytes | None = None, more: bytes = b""
    ) -> None:
        """One more entry, in which seat 0 sees a card that the others do not; `more` stands behind all parts."""
        version = len(self.entries) + 1
        hand = {"owner": 0, "cards": [version]}
        seen = self.game.Event(dealt={"hand": hand, "said": "hello"})
        told = self.game.Event(dealt={"hand": {"owner": 0}, "said": "hello"})
        public_part = self._part(version, public if public is not None else told.SerializeToString(), end) + more
        own_part = self._part(version, own if own is not None else seen.SerializeToString(), end) + more
        sealed = [own_part, b"", b"server"]
        salts = [chain.salt(SEED, version, i) for i in range(3)]
        commitments = [chain.commitment(s, p) for s, p in zip(salts, sealed, strict=True)]
        self.digest = chain.digest(self.digest, version, public_part, commitments)
        mine = match_service_pb2.Entry.SealedPart(index=0, part=own_part, salt=salts[0])
        self.entries.append(
            match_service_pb2.Entry(
                version=version,
                digest=self.digest,
                public_part=public_part,
                own=[mine],
                commitments=[b"", *commitments[1:]],
            )
        )

    def _part(self, version: int, event: bytes, end: bool) -> bytes:
        part = entry_pb2.EntryPart(version=version, receive_time_ms=1000 + version, game_events=[event])
        if version == 1:
            part.cause.created.match = ids.raw_id(MATCH)
            part.cause.created.sealed_parts = 3
        if end:
            part.end.outcome = entry_pb2.End.OUTCOME_RESULT
        return part.SerializeToString()


@pytest.fixture
def history() -> History:
    made = History(Game(toy()))
    for number in range(6):
        made.add(end=number == 5)
    return made


Stream = AsyncIterator[match_service_pb2.PlayRequest]
Script = Callable[[Stream, Any], AsyncIterator[match_service_pb2.PlayResponse]]


class Server(
    match_service_pb2_grpc.MatchServiceServicer,
    game_service_pb2_grpc.GameServiceServicer,
):
    """Plays `scripts`, one for each stream that is opened, and keeps what it was sent."""

    def __init__(self) -> None:
        self.port = 0
        self.scripts: list[Script] = []
        self.watched: list[match_service_pb2.WatchMatchRequest] = []
        self.watch_entries: list[list[match_service_pb2.Entry]] = []
        self.crowded = 0  # so many watches are refused with TOO_MANY_WATCHES
        self.peers: list[str] = []  # of each watch
        self.rules_version = "1.0.0"
        self.described = 0  # so many times GetGame was called

    async def GetMatch(self, request: Any, context: Any) -> match_service_pb2.GetMatchResponse:
        version = self.rules_version
        match = match_service_pb2.Match(name=request.name, game="games/toy", rules_version=version, own_seats=[0])
        return match_service_pb2.GetMatchResponse(match=match)

    async def GetGame(self, request: Any, context: Any) -> game_service_pb2.GetGameResponse:
        self.described += 1
        described = toy()
        described.rules_version = self.rules_version
        return game_service_pb2.GetGameResponse(game=described)

    async def Play(self, requests: Stream, context: Any) -> AsyncIterator[match_service_pb2.PlayResponse]:
        async for response in self.scripts.pop(0)(requests, context):
            yield response

    async def WatchMatch(self, request: Any, context: Any) -> AsyncIterator[match_service_pb2.WatchMatchResponse]:
        self.watched.append(request)
        self.peers.append(context.peer())
        if self.crowded:
            self.crowded -= 1
            info, status = error_details_pb2.ErrorInfo(reason="TOO_MANY_WATCHES", domain="argosy"), status_pb2.Status()
            status.code = 8
            status.details.add().Pack(info)
            await context.abort_with_status(rpc_status.to_status(status))
        for entry in self.watch_entries.pop(0):
            yield match_service_pb2.WatchMatchResponse(update=match_service_pb2.EntryUpdate(entry=entry))
        if self.watch_entries:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")


Connect = Callable[[], Awaitable[Client]]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    served, scripted = grpc.aio.server(), Server()  # type: ignore[abstract]  # the script serves what it needs
    match_service_pb2_grpc.add_MatchServiceServicer_to_server(scripted, served)
    game_service_pb2_grpc.add_GameServiceServicer_to_server(scripted, served)
    scripted.port = served.add_insecure_port("127.0.0.1:0")
    await served.start()
    yield scripted
    await served.stop(None)


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    async with Client.connect(f"127.0.0.1:{server.port}", key="k", patience=Patience(total=5)) as connected:
        yield connected
