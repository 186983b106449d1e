"""Who calls: a fixed token or API key, or an account whose secret gives fresh tokens."""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from argosy.v1 import session_service_pb2 as session

RENEW_BEFORE_S = 60.0


class Session(Protocol):
    """What an account renews its token with."""

    async def create_token(self, player: str, secret: str) -> session.Token:
        """A fresh token for the player's secret."""


class Credentials(Protocol):
    """Gives the bearer of each call."""

    async def bearer(self, service: Session) -> str:
        """What goes behind `authorization: Bearer `."""

    def expire(self, bearer: str) -> bool:
        """Forgets a bearer that the server calls expired; false when there is no way to a fresh one."""


class Fixed:
    """A token or an API key that somebody else looks after."""

    def __init__(self, bearer: str) -> None:
        self._bearer = bearer

    async def bearer(self, service: Session) -> str:  # noqa: ARG002  # needs nobody
        """The same each time."""
        return self._bearer

    def expire(self, bearer: str) -> bool:  # noqa: ARG002  # there is only one
        """There is no other."""
        return False


class Account:
    """A player with its secret: keep both, they are shown once. Its tokens are renewed before they expire."""

    def __init__(self, player: str, secret: str, token: session.Token | None = None) -> None:
        self.player, self.secret = player, secret
        self._token, self._renew_at = "", 0.0
        self._renewing = asyncio.Lock()
        if token:
            self._keep(token)

    def dump(self) -> dict[str, str | float]:
        """The account as JSON can hold it, its token included; keep it as secret as a password."""
        return {"player": self.player, "secret": self.secret, "token": self._token, "renew_at": self._renew_at}

    @classmethod
    def load(cls, dumped: Mapping[str, Any]) -> Self:
        """The account that `dump` gave, perhaps to another process."""
        account = cls(dumped["player"], dumped["secret"])
        account._token, account._renew_at = dumped.get("token", ""), dumped.get("renew_at", 0.0)  # own
        return account

    async def bearer(self, service: Session) -> str:
        """The token; a fresh one when it has less than a minute or a fifth of its life left."""
        if time.time() >= self._renew_at:
            async with self._renewing:
                if time.time() >= self._renew_at:
                    self._keep(await service.create_token(self.player, self.secret))
        return self._token

    def expire(self, bearer: str) -> bool:
        """Forgets the token, unless another has taken its place."""
        if bearer == self._token:
            self._renew_at = 0.0
        return True

    def _keep(self, token: session.Token) -> None:
        left = token.expire_time.ToDatetime().timestamp() - time.time() if token.HasField("expire_time") else 3600.0
        self._token = token.token
        self._renew_at = time.time() + max(left - RENEW_BEFORE_S, left * 0.8, 1.0)


def read_account(path: Path, address: str) -> Account | None:
    """The account kept in the file for this server, if any. Raises ValueError for a file that is something else."""
    found = _read(path).get(address)
    return Account(found["player"], found["secret"]) if found else None


def keep_account(path: Path, address: str, account: Account) -> None:
    """Writes the account into the file, readable by its owner only, beside those for other servers."""
    kept = {**_read(path), address: {"player": account.player, "secret": account.secret}}
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(kept, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _read(path: Path) -> dict[str, Any]:
    kept: Any
    try:
        kept = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (json.JSONDecodeError, UnicodeDecodeError):
        kept = None
    if not isinstance(kept, dict):
        raise ValueError(f"{path} is not a credentials file")  # noqa: TRY004  # what is wrong is the file's content
    return kept
