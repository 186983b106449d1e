"""The edge of a gateway, put together: accounts, tokens, limits, games, and the services that need nothing more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from argosy.v1 import game_service_pb2 as game_pb
from argosy.v1 import game_service_pb2_grpc as game_grpc
from argosy.v1 import session_service_pb2_grpc as session_grpc

from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.platform_keys import PlatformKeys
from gateway.accounts.players import Players
from gateway.accounts.store import open_store, sqlite_url
from gateway.games import Games
from gateway.gate import Allowance, Gate
from gateway.limits import Buckets, Crowd
from gateway.proxies import Proxies
from gateway.revocation import Revocation
from gateway.sessions import Sessions
from gateway.settings import GatewaySettings, LimitSettings
from gateway.tokens import LIFETIME_S, Tokens
from services.kit.host import PUBLIC, Register
from services.kit.keys import SigningKey, read_keys, read_or_make_keys
from services.kit.log.checks import Store as LogStore
from services.kit.startup import CannotStart
from services.match.rules import RulesDirectory, parse_addresses

_SHORTEST_SECRET = 32


@dataclass(frozen=True, slots=True)
class Edge:
    """What the public services of a gateway share."""

    settings: GatewaySettings
    players: Players
    api_keys: ApiKeys
    keys: PlatformKeys
    tokens: Tokens
    allowance: Allowance
    proxies: Proxies
    revocation: Revocation
    directory: RulesDirectory

    @property
    def gate(self) -> Gate:
        """The interceptor for the server."""
        return Gate(self.tokens, self.allowance, self.proxies, self.revocation)

    @property
    def build(self) -> str:
        """What is built into this process."""
        return self.settings.build or metadata.version("argosy-platform")

    def registrations(self, durability: game_pb.GetPlatformResponse.Durability.ValueType) -> list[Register]:
        """SessionService and GameService."""
        sessions = Sessions(self.players, self.api_keys, self.tokens, self.revocation)
        games = Games(
            self.directory,
            self.keys,
            build=self.build,
            limits=_told(self.settings.limits),
            durability=durability,
        )
        return [
            lambda server: session_grpc.add_SessionServiceServicer_to_server(sessions, server),
            lambda server: game_grpc.add_GameServiceServicer_to_server(games, server),
        ]


@asynccontextmanager
async def open_edge(settings: GatewaySettings) -> AsyncIterator[Edge]:
    """The edge, ready to serve. Raises CannotStart in one line when keys, accounts or addresses are not as they must.

    Register `edge.directory.keep_fresh` and `edge.revocation.watch_over` as tasks of the process.
    """
    addresses = parse_addresses(settings.games.rules)
    allowance, proxies = _allowance(settings.limits), Proxies(settings.limits.trusted_proxies)
    own = await asyncio.to_thread(_own_keys, settings)
    store = await open_store(settings.accounts_url or sqlite_url(settings.data))
    try:
        keys = PlatformKeys(store, own)
        await keys.publish()
        api_keys, directory = ApiKeys(store), RulesDirectory(addresses)
        await directory.refresh()
        tokens = Tokens(keys, api_keys, bots_secret=_bots_secret(settings.bots_key_file))
        yield Edge(
            settings,
            Players(store),
            api_keys,
            keys,
            tokens,
            allowance,
            proxies,
            Revocation(api_keys, tokens),
            directory,
        )
        await directory.close()
    finally:
        await store.close()


def durability_of(store: LogStore, replicas: int) -> game_pb.GetPlatformResponse.Durability.ValueType:
    """When this platform answers OK, by what was found out about its store."""
    if store.costs:
        return game_pb.GetPlatformResponse.DURABILITY_RELAXED
    if replicas:
        return game_pb.GetPlatformResponse.DURABILITY_REPLICATED
    return game_pb.GetPlatformResponse.DURABILITY_FLUSHED


def _own_keys(settings: GatewaySettings) -> list[SigningKey]:
    if settings.keys_file is not None:
        return read_keys(settings.keys_file)
    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CannotStart(f"cannot make the data directory {settings.data}: {error.strerror}") from None
    return read_or_make_keys(settings.data / "keys.json")


def _bots_secret(path: Path | None) -> str:
    """What the file holds; "" where there is none. Raises CannotStart for one that is missing or too short."""
    if path is None:
        return ""
    try:
        secret = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotStart(f"cannot read ARGOSY_BOTS_KEY_FILE {path}: {error}") from None
    if len(secret) < _SHORTEST_SECRET:
        raise CannotStart(f"ARGOSY_BOTS_KEY_FILE {path} must hold {_SHORTEST_SECRET} characters or more")
    return secret


def _allowance(limits: LimitSettings) -> Allowance:
    if min(limits.player_rate, limits.key_rate, limits.sign_in_rate, limits.guess_rate) <= 0:
        raise CannotStart(
            "ARGOSY_PLAYER_RATE, ARGOSY_KEY_RATE, ARGOSY_SIGN_IN_RATE and ARGOSY_GUESS_RATE must be above 0"
        )
    return Allowance(
        players=Buckets(limits.player_rate, limits.player_burst),
        keys=Buckets(limits.key_rate, limits.key_burst),
        sign_ins=Buckets(limits.sign_in_rate, limits.sign_in_burst),
        guesses=Buckets(limits.guess_rate, limits.guess_burst),
        calls=Crowd(limits.calls_at_once),
        streams=Crowd(limits.streams_at_once),
        strangers=Crowd(max(1, limits.streams_at_once // 10)),
    )


def _told(limits: LimitSettings) -> dict[str, int]:
    """The limits as clients are told them."""
    return {
        "request_bytes": PUBLIC.message_bytes,
        "streams_per_connection": PUBLIC.streams,
        "requests_per_player_per_second": int(limits.player_rate),
        "requests_per_player_at_once": limits.player_burst,
        "requests_per_key_per_second": int(limits.key_rate),
        "requests_per_key_at_once": limits.key_burst,
        "sign_ins_per_address_at_once": limits.sign_in_burst,
        "token_lifetime_seconds": LIFETIME_S,
    }
