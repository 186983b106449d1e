"""GameService: what can be played here, and what this platform is."""
# ruff: noqa: ARG002, N802 - gRPC names the methods and gives each a context

import base64
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias, TypeVar

import grpc
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import game_service_pb2 as pb
from argosy.v1 import game_service_pb2_grpc as game_grpc
from google.protobuf.timestamp_pb2 import Timestamp

from gateway.accounts.platform_keys import PlatformKeys, PublicKey
from gateway.fields import page_size
from gateway.gate import Context
from services.kit.errors import Reason, Refused, invalid, not_found
from services.kit.names import game_id
from services.match.games import packed
from services.match.rules import GameEntry, RulesDirectory

T = TypeVar("T")
Durability: TypeAlias = pb.GetPlatformResponse.Durability.ValueType
_DEADLINE_S = 5.0
_MOST_EVENTS = 1000
_CHECKSUM = 6
_BRIEF = (
    "rules_version",
    "rules_digest",
    "min_seats",
    "max_seats",
    "default_seats",
    "cooperative",
    "hidden_information",
    "settings_type",
    "action_type",
    "event_type",
    "position_type",
    "typical_entries",
)
_USES = {
    "token": pb.GetPlatformResponse.PublicKey.USE_TOKEN,
    "receipt": pb.GetPlatformResponse.PublicKey.USE_RECEIPT,
    "log": pb.GetPlatformResponse.PublicKey.USE_LOG,
}


class Games(game_grpc.GameServiceServicer):
    """Serves GameService."""

    def __init__(
        self,
        directory: RulesDirectory,
        keys: PlatformKeys,
        *,
        build: str,
        limits: Mapping[str, int],
        durability: Durability,
    ) -> None:
        self._directory, self._keys = directory, keys
        self._build, self._limits, self._durability = build, limits, durability

    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """A page of the games that can be started now; the page token has the last name of the page before."""
        size, last = page_size(request.page_size, 50, 200), _read_token(request.page_token)
        games = [entry for entry in self._directory.playable() if entry.id > last]
        token = _token(games[size - 1].id) if len(games) > size else ""
        return pb.ListGamesResponse(games=[_brief(entry) for entry in games[:size]], next_page_token=token)

    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """A game with descriptors, settings and refusal codes."""
        return pb.GetGameResponse(game=_whole(self._entry(request.name)))

    async def ReadAsset(self, request: pb.ReadAssetRequest, context: Context) -> pb.ReadAssetResponse:
        """An asset's bytes, from the rules service."""
        entry = self._entry(request.game)
        if not any(asset.name == request.asset for asset in entry.description.assets):
            raise not_found(f"{request.game}/assets/{request.asset}")
        question = rules_v1.ReadAssetRequest(game=entry.id, rules_version=entry.rules_version, name=request.asset)
        asset = await _ask(entry, lambda: entry.stub.ReadAsset(question, timeout=_DEADLINE_S))
        return pb.ReadAssetResponse(content=asset.content, media_type=asset.media_type)

    async def DrawPosition(self, request: pb.DrawPositionRequest, context: Context) -> pb.DrawPositionResponse:
        """Text for a position that the caller sends: nothing is drawn but what it knows already."""
        entry = self._entry(request.game)
        question = _drawing(entry, request)
        drawing = await _ask(entry, lambda: entry.stub.DrawPosition(question, timeout=_DEADLINE_S))
        return pb.DrawPositionResponse(text=drawing.text, sentences=drawing.sentences)

    async def GetPlatform(self, request: pb.GetPlatformRequest, context: Context) -> pb.GetPlatformResponse:
        """What this platform is."""
        limits = [pb.GetPlatformResponse.Limit(name=name, value=value) for name, value in self._limits.items()]
        now_ns = time.time_ns()
        return pb.GetPlatformResponse(
            build=self._build,
            limits=limits,
            public_keys=[_public_key(key) for key in self._keys.all_public()],
            durability=self._durability,
            server_time=Timestamp(seconds=now_ns // 10**9, nanos=now_ns % 10**9),
        )

    def _entry(self, name: str) -> GameEntry:
        return self._directory.game(game_id(name))


def _token(game: str) -> str:
    """The page token after this game: its name and a checksum, so that what was not given out is refused."""
    raw = game.encode()
    return base64.urlsafe_b64encode(raw + _checksum(raw)).decode().rstrip("=")


def _read_token(token: str) -> str:
    """The name in a page token, "" in none. Refuses INVALID_REQUEST for one that was not given out."""
    if not token:
        return ""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        name, checksum = raw[:-_CHECKSUM], raw[-_CHECKSUM:]
        if checksum == _checksum(name):
            return name.decode()
    except ValueError:
        pass
    raise invalid("page_token", "is none that was given out")


def _checksum(raw: bytes) -> bytes:
    return hashlib.sha256(b"argosy.games.v1" + raw).digest()[:_CHECKSUM]


async def _ask(entry: GameEntry, call: Callable[[], Awaitable[T]]) -> T:
    """The answer of the rules service; its own refusals are the caller's fault, its silence is ours."""
    try:
        return await call()
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.NOT_FOUND:
            raise not_found(f"games/{entry.id}") from None
        if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
            raise invalid("request", f"cannot be read by the rules of {entry.id}") from None
        facts = {"game": entry.id, "rules_version": entry.rules_version}
        text = f"the rules service of {entry.id} does not answer"
        raise Refused(Reason.ERROR_REASON_RULES_UNAVAILABLE, text, retry_s=1.0, **facts) from error


def _drawing(entry: GameEntry, request: pb.DrawPositionRequest) -> rules_v1.DrawPositionRequest:
    type_name = request.position.type_url.rpartition("/")[2]
    if request.HasField("position") and type_name != entry.description.position_type:
        raise invalid("position", f"must be a {entry.description.position_type}")
    if len(request.events) > _MOST_EVENTS:
        raise invalid("events", f"must be at most {_MOST_EVENTS}")
    return rules_v1.DrawPositionRequest(
        game=entry.id,
        rules_version=entry.rules_version,
        position=request.position.value,
        viewer=request.viewer if request.HasField("viewer") else None,
        events=request.events,
        language=request.language,
    )


def _brief(entry: GameEntry) -> pb.Game:
    described = entry.description
    game = pb.Game(name=f"games/{entry.id}", **{name: getattr(described, name) for name in _BRIEF})
    game.titles.extend(pb.Game.Text(language=title.language, text=title.text) for title in described.titles)
    game.bot_policies.extend(described.bot_policies)
    for asset in described.assets:
        game.assets.add(name=asset.name, media_type=asset.media_type, digest=asset.digest, size=asset.size)
    return game


def _whole(entry: GameEntry) -> pb.Game:
    described, game = entry.description, _brief(entry)
    game.descriptors.CopyFrom(described.descriptors)
    game.default_settings.CopyFrom(packed(described.settings_type, described.default_settings))
    for sample in described.samples:
        game.samples.add(settings=packed(described.settings_type, sample.settings), seats=sample.seats)
    for code in described.refusal_codes:
        game.refusal_codes.add(code=code.code, explanation=code.explanation)
    return game


def _public_key(key: PublicKey) -> pb.GetPlatformResponse.PublicKey:
    time_ms = Timestamp(seconds=key.create_ms // 1000, nanos=key.create_ms % 1000 * 1_000_000)
    return pb.GetPlatformResponse.PublicKey(id=key.id, use=_USES[key.use], key=key.raw, create_time=time_ms)
