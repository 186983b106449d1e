"""The platform's public keys, of this gateway and others.

Each gateway publishes the public halves of its own keys (services/kit/keys.py) in the accounts database, so that
gateways with files of their own know one another's tokens.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from gateway.accounts import schema
from gateway.accounts.store import Store
from services.kit import keys
from services.kit.keys import USES, SigningKey


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half of a key of this platform, of this gateway or another."""

    id: str
    use: str
    raw: bytes
    create_ms: int

    @property
    def key(self) -> Ed25519PublicKey:
        """The key to verify with."""
        return Ed25519PublicKey.from_public_bytes(self.raw)


class PlatformKeys:
    """The private keys of this gateway and the public ones of all."""

    def __init__(self, store: Store, own: Sequence[SigningKey]) -> None:
        self._store, self._own = store, own
        self._public = {key.id: _public(key) for key in own}

    def signer(self, use: str) -> SigningKey:
        """The newest key of this use."""
        return keys.signer(self._own, use)

    def public(self, key: str) -> PublicKey | None:
        """The public key with this id, if it is known by now."""
        return self._public.get(key)

    def all_public(self) -> list[PublicKey]:
        """The public keys known by now, by use and age."""
        return sorted(self._public.values(), key=lambda key: (USES.index(key.use), key.create_ms, key.id))

    async def publish(self) -> None:
        """Makes this gateway's public keys known to the others, then learns theirs. Idempotent."""
        for key in self._own:
            public = _public(key)
            row = {"id": public.id, "use": public.use, "key": public.raw, "create_ms": public.create_ms}
            try:
                async with self._store.writing() as connection:
                    await connection.execute(schema.public_keys.insert().values(row))
            except IntegrityError:  # it is there
                continue
        await self.learn()

    async def learn(self) -> None:
        """Reads the public keys of other gateways."""
        async with self._store.reading() as connection:
            for row in await connection.execute(select(schema.public_keys)):
                self._public.setdefault(row.id, PublicKey(row.id, row.use, bytes(row.key), row.create_ms))

    def adopt(self, keys: Iterable[PublicKey]) -> None:
        """Takes keys over that replay tells: what it signs with itself, and what gateways signed with that are no more.

        None for tokens: those are known from the accounts database alone.
        """
        for key in keys:
            if key.use != "token":
                self._public.setdefault(key.id, key)


def _public(key: SigningKey) -> PublicKey:
    return PublicKey(key.id, key.use, key.private.public_key().public_bytes_raw(), key.create_ms)
