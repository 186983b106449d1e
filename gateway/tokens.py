"""Bearers: short-lived EdDSA tokens and API keys, and who calls with them.

A token names a player and scopes, nothing else. What was verified once is remembered until it expires, so that a call
costs a look-up and not a signature.
"""

import hmac
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import jwt

from gateway.accounts.api_keys import PREFIX, SCOPES, ApiKeys
from gateway.accounts.platform_keys import PlatformKeys, PublicKey
from gateway.accounts.players import Clock
from services.kit.errors import Reason, Refused
from services.kit.log import ids

LIFETIME_S: Final = 15 * 60
BOTS_PREFIX: Final = "bots_"
"""With this the bearer begins of the processes that play hosted bots."""
_ISSUER: Final = "argosy"
_KEY_REMEMBERED_S: Final = 10.0  # should nobody tell that it was revoked, it is taken no longer than that
_REMEMBERED: Final = 50_000
_LEARN_S: Final = 1.0
_LONGEST: Final = 2048


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a bearer stands for. `key`: the API key, None for tokens; `expires_at`: in Unix seconds, None for keys."""

    player: bytes
    scopes: frozenset[str]
    key: str | None
    expires_at: float | None


class Tokens:
    """Issues tokens, and tells whom a bearer stands for."""

    def __init__(
        self, keys: PlatformKeys, api_keys: ApiKeys, clock: Clock = time.time, *, bots_secret: str = ""
    ) -> None:
        self._keys, self._api_keys, self._clock = keys, api_keys, clock
        self._bots = f"{BOTS_PREFIX}{bots_secret}".encode() if bots_secret else b""
        self._known: dict[str, tuple[Identity, float]] = {}
        self._bearers: dict[str, str] = {}  # of API keys that are remembered, by the key's id
        self._learn_at = 0.0

    def issue(self, player: bytes, scopes: Iterable[str] = ("play",)) -> tuple[str, int]:
        """A token for 15 minutes, and when it expires in Unix seconds."""
        now = int(self._clock())
        expires = now + LIFETIME_S
        claims = {"iss": _ISSUER, "sub": ids.to_text(player), "scp": " ".join(scopes), "iat": now, "exp": expires}
        key = self._keys.signer("token")
        return jwt.encode(claims, key.private, algorithm="EdDSA", headers={"kid": key.id}), expires

    async def identify(self, bearer: str) -> Identity:
        """Whom the bearer stands for. Refuses TOKEN_EXPIRED, and UNAUTHENTICATED for everything else."""
        now = self._clock()
        known = self._known.get(bearer)
        if known is not None and now < known[1]:
            return known[0]
        if len(bearer) > _LONGEST:
            raise _unknown()
        if bearer.startswith(BOTS_PREFIX):
            return self._by_bots_secret(bearer)
        if bearer.startswith(PREFIX):
            identity, until = await self._by_key(bearer), now + _KEY_REMEMBERED_S
        else:
            identity = await self._by_token(bearer, now)
            until = identity.expires_at or now
        self._remember(bearer, identity, until)
        return identity

    @property
    def keys_in_use(self) -> set[str]:
        """The API keys that are remembered."""
        return set(self._bearers)

    def forget_key(self, key: str) -> None:
        """Asks the database again at the next call of this API key: it was revoked."""
        self._known.pop(self._bearers.pop(key, ""), None)

    def _remember(self, bearer: str, identity: Identity, until: float) -> None:
        self._known.pop(bearer, None)
        while len(self._known) >= _REMEMBERED:
            forgotten, _ = self._known.pop(next(iter(self._known)))
            self._bearers.pop(forgotten.key or "", None)
        self._known[bearer] = identity, until
        if identity.key is not None:
            self._bearers[identity.key] = bearer

    async def _by_key(self, bearer: str) -> Identity:
        key = await self._api_keys.authenticate(bearer)
        if key is None:
            raise _unknown()
        return Identity(key.player, key.scopes, key.id, None)

    def _by_bots_secret(self, bearer: str) -> Identity:
        """Who plays hosted bots acts as the player of 16 zero bytes, who holds every bot's seat."""
        if not self._bots or not hmac.compare_digest(bearer.encode(), self._bots):
            raise _unknown()
        return Identity(ids.ZERO, frozenset(("play", "bots")), None, None)

    async def _by_token(self, token: str, now: float) -> Identity:
        try:
            key = await self._public_key(jwt.get_unverified_header(token).get("kid"), now)
            claims = jwt.decode(
                token,
                key.key,
                algorithms=["EdDSA"],
                issuer=_ISSUER,
                options={"require": ["exp", "sub", "iss", "scp"], "verify_exp": False, "verify_iat": False},
            )
            identity = _identity(claims)
        except (jwt.PyJWTError, ValueError, TypeError):
            raise _unknown() from None
        if identity.expires_at is not None and identity.expires_at <= now:
            raise Refused(Reason.ERROR_REASON_TOKEN_EXPIRED, "the token has expired")
        return identity

    async def _public_key(self, kid: Any, now: float) -> PublicKey:
        """The token key with this id; another gateway's may be new, so the database is asked, once a second at most."""
        key = self._keys.public(str(kid))
        if key is None and now >= self._learn_at:
            self._learn_at = now + _LEARN_S
            await self._keys.learn()
            key = self._keys.public(str(kid))
        if key is None or key.use != "token":
            raise ValueError("no token key")
        return key


def _identity(claims: dict[str, Any]) -> Identity:
    scopes = frozenset(claims["scp"].split()) & frozenset(SCOPES)
    return Identity(ids.from_text(claims["sub"]), scopes, None, float(claims["exp"]))


def _unknown() -> Refused:
    return Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "no credentials, or none that are known here")
