"""The platform's public keys: those that a file tells, and those that the reader was given elsewhere."""

import hashlib
import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.verify.report import Impossible, Wrong
from services.kit import checkpoints, signatures

RECEIPT: Final = "receipt"
_LOG: Final = "log"


@dataclass(frozen=True, slots=True)
class Key:
    """A public key of 32 bytes, and what it signs: token, receipt or log; "" where nobody says."""

    raw: bytes
    use: str = ""

    def serves(self, use: str) -> bool:
        """Whether it may sign this."""
        return self.use in ("", use)


@dataclass(frozen=True, slots=True)
class Keys:
    """Public keys by id. `trusted` are those that the reader was given elsewhere; None where there are none."""

    told: Mapping[str, Key]
    trusted: Mapping[str, Key] | None

    @property
    def known(self) -> Mapping[str, Key]:
        """The keys to check with: those that are trusted, where there are such."""
        return self.told if self.trusted is None else self.trusted

    def require(self, key_id: str, signature: bytes, message: bytes, version: int = 0) -> str:
        """Who signed. Raises Wrong for a bad signature, signer or use, Impossible for one that nobody vouches for."""
        if key_id not in self.known:
            if self.trusted is not None:
                raise Wrong(version, f"it is signed by {key_id}, which is not one of the keys given")
            raise Impossible(f"the signer {key_id} is unknown")
        key = self.known[key_id]
        if not key.serves(RECEIPT):
            raise Wrong(version, f"it is signed by {key_id}, a key for use {key.use!r}, not {RECEIPT!r}")
        if not signatures.is_signed(key.raw, signature, message):
            raise Wrong(version, f"the signature is not by {key_id}")
        if self.trusted is None:
            raise Impossible(f"the signer {key_id} is unknown: only the file vouches for it")
        return f"by {key_id}"

    def is_signed(self, key_id: str, signature: bytes, message: bytes) -> bool:
        """Whether a key that is known signed this."""
        key = self.known.get(key_id)
        return key is not None and key.serves(RECEIPT) and signatures.is_signed(key.raw, signature, message)

    def require_head(self, checkpoint: str, text: str) -> str:
        """`text`. Raises Wrong unless a key of the log has signed the tree head, Impossible for one that is unknown."""
        signers = [key for key in self.known.values() if checkpoints.is_signed(checkpoint, key.raw)]
        if not signers:
            raise Wrong(0, "the tree head is not signed by a key given")
        if not any(key.serves(_LOG) for key in signers):
            raise Wrong(0, f"the tree head is signed by a key for use {signers[0].use!r}, not {_LOG!r}")
        if self.trusted is None:
            raise Impossible(f"{text}; the log's key is unknown: only the file vouches for it")
        return text


def keys_of(export: pb.Export, trusted: Path | None) -> Keys:
    """The file's keys, whose ids must be theirs, and those given. Raises ValueError for a bad file of keys."""
    told = {key.id: Key(key.key, key.use) for key in export.keys if key_id(key.key) == key.id}
    return Keys(told, None if trusted is None else read_keys(trusted))


def read_keys(path: Path) -> dict[str, Key]:
    """A JSON file `{"keys": [{"key": "<base64 of 32 bytes>", "use": "receipt"}]}`. Raises ValueError."""
    try:
        items = json.loads(path.read_text())["keys"]
        found = [Key(b64decode(item["key"], validate=True), str(item.get("use", ""))) for item in items]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is no file of keys") from None
    if any(len(key.raw) != 32 for key in found):
        raise ValueError(f"{path} holds a key that has not 32 bytes")
    return {key_id(key.raw): key for key in found}


def key_id(key: bytes) -> str:
    """The id of a key."""
    return hashlib.sha256(key).digest()[:8].hex()
