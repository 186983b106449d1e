"""The platform's Ed25519 keys: one each for tokens, receipts and the transparency log.

The private keys are a JSON file, made in the data directory or given. A file may hold several keys of one use: the
newest signs, the others still verify.
"""

import base64
import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.kit.startup import CannotStart

USES: Final = ("token", "receipt", "log")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that this platform signs with. `id`: the first 8 bytes of SHA-256 of the public key, hexadecimal."""

    id: str
    use: str
    private: Ed25519PrivateKey
    create_ms: int


def signer(keys: Sequence[SigningKey], use: str) -> SigningKey:
    """The newest key of this use."""
    return max((key for key in keys if key.use == use), key=lambda key: key.create_ms)


def read_keys(path: Path) -> list[SigningKey]:
    """The keys in this file. Raises CannotStart when it is missing, cannot be read or lacks a use."""
    try:
        found = json.loads(path.read_text())
        keys = [_signing_key(item) for item in found["keys"]]
    except FileNotFoundError:
        raise CannotStart(f"there is no key file {path}") from None
    except OSError as error:
        raise CannotStart(f"cannot read the key file {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise CannotStart(f"{path} is no key file of Argosy") from None
    for use in USES:
        if not any(key.use == use for key in keys):
            raise CannotStart(f"the key file {path} holds no key for use {use!r}")
    return keys


def read_or_make_keys(path: Path) -> list[SigningKey]:
    """The keys in this file, which is made, readable by its owner only, if it is missing."""
    if not path.exists():
        _make(path)
    return read_keys(path)


def _make(path: Path) -> None:
    """Links the finished file into place: of processes that start together, one wins and all read its keys."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"keys": list(_fresh_items())}, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        os.link(fresh, path)
    except FileExistsError:
        pass
    except OSError as error:
        raise CannotStart(f"cannot make the key file {path}: {error.strerror}") from None
    finally:
        fresh.unlink(missing_ok=True)


def _fresh_items() -> Iterable[dict[str, Any]]:
    for use in USES:
        seed = Ed25519PrivateKey.generate().private_bytes_raw()
        yield {"use": use, "private": base64.b64encode(seed).decode(), "create_ms": int(time.time() * 1000)}


def _signing_key(item: dict[str, Any]) -> SigningKey:
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(item["private"], validate=True))
    if item["use"] not in USES:
        raise ValueError("unknown use")
    raw = private.public_key().public_bytes_raw()
    return SigningKey(hashlib.sha256(raw).digest()[:8].hex(), item["use"], private, int(item["create_ms"]))
