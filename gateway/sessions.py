"""SessionService: players sign in; bots and hosts get keys."""
# ruff: noqa: ARG002, N802 - gRPC names the methods and gives each a context

import re

from argosy.v1 import session_service_pb2 as pb
from argosy.v1 import session_service_pb2_grpc as session_grpc
from google.protobuf.timestamp_pb2 import Timestamp

from gateway.accounts import api_keys, players
from gateway.accounts.api_keys import ApiKey, ApiKeys
from gateway.accounts.players import Player, Players
from gateway.authorization import current_caller
from gateway.fields import check_request_id, display_name, page_size
from gateway.gate import Context
from gateway.revocation import Revocation
from gateway.tokens import Tokens
from services.kit.errors import Reason, Refused, invalid
from services.kit.log import ids

_SCOPES = {
    "play": pb.SCOPE_PLAY,
    "host": pb.SCOPE_HOST,
    "audit": pb.SCOPE_AUDIT,
    "admin": pb.SCOPE_ADMIN,
}
_NAMES = {number: name for name, number in _SCOPES.items()}
_PAGE_TOKEN = re.compile(r"(\d{1,15})-([0-9a-f]{16})")
_LONGEST_SECRET = 200


class Sessions(session_grpc.SessionServiceServicer):
    """Serves SessionService."""

    def __init__(self, players: Players, keys: ApiKeys, tokens: Tokens, revocation: Revocation) -> None:
        self._players, self._keys, self._tokens, self._revocation = players, keys, tokens, revocation

    async def CreateGuest(self, request: pb.CreateGuestRequest, context: Context) -> pb.CreateGuestResponse:
        """A player without address or password."""
        check_request_id(request.request_id)
        player, secret = await self._players.create_guest(display_name(request.display_name), request.request_id)
        return pb.CreateGuestResponse(player=_player(player), secret=secret, token=self._token(player.id))

    async def CreateToken(self, request: pb.CreateTokenRequest, context: Context) -> pb.CreateTokenResponse:
        """A fresh token for a player's secret; an unknown player looks like a wrong secret."""
        if len(request.secret) > _LONGEST_SECRET:
            raise invalid("secret", "is too long")
        try:
            player = players.player_id(request.player)
        except Refused:
            text = "player and secret do not belong together"
            raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, text) from None
        await self._players.check_secret(player, request.secret)
        return pb.CreateTokenResponse(token=self._token(player))

    async def CreatePlayer(self, request: pb.CreatePlayerRequest, context: Context) -> pb.CreatePlayerResponse:
        """A player that belongs to the caller's API key."""
        check_request_id(request.request_id)
        key = current_caller().key
        assert key is not None, "the authorization table asks for a key"
        name = display_name(request.display_name)
        player, secret = await self._players.create_owned(key, name, request.request_id)
        return pb.CreatePlayerResponse(player=_player(player), secret=secret, token=self._token(player.id))

    async def GetPlayer(self, request: pb.GetPlayerRequest, context: Context) -> pb.GetPlayerResponse:
        """A player; `players/me` is the caller."""
        is_self = request.name == "players/me"
        player = current_caller().player if is_self else players.player_id(request.name)
        return pb.GetPlayerResponse(player=_player(await self._players.get(player)))

    async def CreateApiKey(self, request: pb.CreateApiKeyRequest, context: Context) -> pb.CreateApiKeyResponse:
        """A key for a bot or host."""
        check_request_id(request.request_id)
        scopes = {_NAMES.get(scope, "") for scope in request.scopes}
        if not scopes or "" in scopes:
            raise invalid("scopes", "must name at least one scope, and only known ones")
        key, secret = await self._keys.create(display_name(request.display_name), scopes, request.request_id)
        return pb.CreateApiKeyResponse(api_key=_api_key(key), secret=secret)

    async def ListApiKeys(self, request: pb.ListApiKeysRequest, context: Context) -> pb.ListApiKeysResponse:
        """A page of keys, oldest first."""
        size = page_size(request.page_size, 50, 200)
        after = None
        if request.page_token:
            token = _PAGE_TOKEN.fullmatch(request.page_token)
            if token is None:
                raise invalid("page_token", "is none of ours")
            after = int(token[1]), token[2]
        keys = await self._keys.page(size + 1, after)
        last = keys[size - 1] if len(keys) > size else None
        return pb.ListApiKeysResponse(
            api_keys=[_api_key(key) for key in keys[:size]],
            next_page_token=f"{last.create_ms}-{last.id}" if last else "",
        )

    async def RevokeApiKey(self, request: pb.RevokeApiKeyRequest, context: Context) -> pb.RevokeApiKeyResponse:
        """The key works no longer, and its streams end: here at once, at other gateways a second later."""
        check_request_id(request.request_id)
        key = await self._keys.revoke(api_keys.key_id(request.name))
        self._revocation.end(key.id)
        return pb.RevokeApiKeyResponse(api_key=_api_key(key))

    def _token(self, player: bytes) -> pb.Token:
        token, expires = self._tokens.issue(player)
        return pb.Token(token=token, expire_time=Timestamp(seconds=expires))


def _player(player: Player) -> pb.Player:
    return pb.Player(name=player.name, display_name=player.display_name, create_time=_time(player.create_ms))


def _api_key(key: ApiKey) -> pb.ApiKey:
    return pb.ApiKey(
        name=key.name,
        display_name=key.display_name,
        scopes=sorted(_SCOPES[scope] for scope in key.scopes),
        player=f"players/{ids.to_text(key.player)}",
        create_time=_time(key.create_ms),
        revoke_time=None if key.revoke_ms is None else _time(key.revoke_ms),
    )


def _time(ms: int) -> Timestamp:
    return Timestamp(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)
