"""Codes that stand for matches: one for each match, found by a digest of the code.

What the match says of its code decides; the way from a code to its match is only an index, so that a code that was
replaced is dead at once. Both keys expire by themselves.
"""

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Final

from services.kit.log import ids, partitions
from services.kit.log.asking import ask
from services.kit.log.servers import Servers

_KEEP: Final = """
local code = redis.call('HGET', KEYS[1], 'c')
local is_same = redis.call('HGET', KEYS[1], 'r') == ARGV[2]
if code and (ARGV[4] == 'kept' or (ARGV[4] == 'renewed' and is_same)) then
  return {code, redis.call('HGET', KEYS[1], 'x'), ''}
end
redis.call('HSET', KEYS[1], 'c', ARGV[1], 'r', ARGV[2], 'x', ARGV[3])
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return {ARGV[1], ARGV[3], code or ''}
"""
_ENTER: Final = """
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PXAT', ARGV[2])
return redis.call('GET', KEYS[1])
"""


class Change(Enum):
    """What becomes of a code that a match has: it stays, gives way once for a request, or gives way."""

    KEPT = "kept"
    RENEWED = "renewed"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Invited:
    """A match's code, and when it ends; `old` is the one that it has replaced just now, or ""."""

    code: str
    expire_ms: int
    old: str


class Invitations:
    """The codes of all matches. Its calls raise Unavailable, those that write StorageLow; each may be repeated."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    async def keep(self, match: bytes, code: str, request_id: bytes, expire_ms: int, change: Change) -> Invited:
        """The match's code: this one, or the one it has."""
        arguments = (code, request_id, expire_ms, change.value)
        found, until, old = await ask(self._servers, match[0], "EVAL", _KEEP, 1, _match_key(match), *arguments)
        return Invited(found.decode(), int(until), old.decode())

    async def enter(self, code: str, match: bytes, expire_ms: int) -> bool:
        """Lets the code be found; false where it stands for another match."""
        partition, key = _code_key(code)
        text = ids.to_text(match).encode()
        return bool(await ask(self._servers, partition, "EVAL", _ENTER, 1, key, text, expire_ms) == text)

    async def remove(self, code: str) -> None:
        """Lets the code be found no longer."""
        partition, key = _code_key(code)
        await ask(self._servers, partition, "UNLINK", key)

    async def find(self, code: str) -> bytes | None:
        """The match whose code this is; None for none."""
        partition, key = _code_key(code)
        text = await ask(self._servers, partition, "GET", key)
        if not text:
            return None
        match = ids.from_text(text.decode())
        current = await ask(self._servers, match[0], "HGET", _match_key(match), "c")
        return match if current == code.encode() else None


def _match_key(match: bytes) -> str:
    return f"{{{partitions.TAGS[match[0]]}}}:invited:{ids.to_text(match)}"


def _code_key(code: str) -> tuple[int, str]:
    """Partition and key of a code: a digest, so that lists of keys do not show codes."""
    digest = hashlib.sha256(b"argosy.invitation.v1" + code.encode()).digest()
    return digest[0], f"{{{partitions.TAGS[digest[0]]}}}:code:{digest[:16].hex()}"
