"""Secrets of players and API keys: 32 random bytes, of which only a salted hash is kept.

A fast hash is enough: nobody can try 2^256 secrets, and checking one stays cheap under a flood.
"""

import hashlib
import hmac
import secrets
from typing import Final

_SALT: Final = 16
LENGTH: Final = 43
"""Characters of a secret."""


def make_secret() -> str:
    """A fresh secret in URL-safe base 64."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> bytes:
    """Salt and digest, to be kept."""
    salt = secrets.token_bytes(_SALT)
    return salt + _digest(salt, secret)


def matches(kept: bytes | None, secret: str) -> bool:
    """Whether this is the secret of which `kept` is what was kept; takes the same time for every wrong one."""
    kept = kept or bytes(_SALT + 32)
    return hmac.compare_digest(kept[_SALT:], _digest(kept[:_SALT], secret))


def _digest(salt: bytes, secret: str) -> bytes:
    return hashlib.sha256(salt + secret.encode()).digest()
