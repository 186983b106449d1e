"""Codes by which people find a match that waits for them.

A code is 40 random bits. Against guessing, wrong ones are counted for each player and each address; a right one counts
nothing. No entry and no log line ever holds a code.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from argosy.v1 import match_service_pb2 as match_pb

from gateway.authorization import Caller
from gateway.fields import check_request_id
from gateway.limits import Buckets
from gateway.matches.desk import Desk
from services.kit.errors import Reason, Refused, invalid, not_found
from services.kit.log import ids
from services.kit.log.entries import StorageLow, Unavailable
from services.kit.log.invitations import Change, Invited
from services.match import drafts
from services.match.table import Phase, Table

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH: Final = 8
_ALIKE: Final = str.maketrans("OIL", "011", "- ")
_NONE: Final = "invitations/…"
_TRIES: Final = 8


class Inviting:
    """Makes codes and finds matches by them. `guesses` has a bucket for each player and each address."""

    def __init__(self, desk: Desk, guesses: Buckets) -> None:
        self._desk, self._guesses = desk, guesses
        self._codes = desk.matches.tables.log.invitations

    async def create(self, request: match_pb.CreateInvitationRequest, caller: Caller) -> match_pb.Invitation:
        """The match's code. Refuses NOT_FOUND to all but its creator, and matches that have started."""
        check_request_id(request.request_id)
        if request.expire_seconds < 0:
            raise invalid("expire_seconds", "must not be negative")
        table = await self._desk.fresh(request.name)
        if table.creator != caller.player:
            raise not_found(request.name)
        drafts.require_open(table)
        stored = ids.stored_request_id(caller.player, request.request_id.encode())
        change = Change.RENEWED if request.renew else Change.KEPT
        with _store_away():
            found = await self._kept(table, stored, _expiry(table, request.expire_seconds), change)
        told = match_pb.Invitation(code=found.code, match=f"matches/{table.text}")
        told.expire_time.FromMilliseconds(found.expire_ms)
        return told

    async def resolve(self, typed: str, caller: Caller) -> Table:
        """The match of this code, fresh. Refuses NOT_FOUND alike for every code that is not good."""
        code = read(typed)
        keys = caller.player, caller.address
        for key in keys:
            self._guesses.take(key)
        with _store_away():
            match = await self._codes.find(code)
        table = None if match is None else await self._desk.matches.tables.fresh(match)
        if table is None or not (table.phase is Phase.OPEN or table.seats_of(caller.player)):
            raise not_found(_NONE)
        for key in keys:
            self._guesses.give_back(key)
        return table

    async def _kept(self, table: Table, stored: bytes, expire_ms: int, change: Change) -> Invited:
        """The code that the match has now, made sure that it can be found."""
        for _ in range(_TRIES):
            found = await self._codes.keep(table.match, new_code(), stored, expire_ms, change)
            is_entered = await self._codes.enter(found.code, table.match, found.expire_ms)
            if found.old:
                await self._codes.remove(found.old)
            if is_entered:
                return found
            change = Change.REPLACED  # by chance another match has this code
        raise Refused(Reason.ERROR_REASON_CONTENDED, "no code is free; retry", retry_s=0.1)


def new_code() -> str:
    """A code from the operating system's randomness."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read(typed: str) -> str:
    """The code that somebody means who typed this. Refuses what can be none."""
    code = typed.upper().translate(_ALIKE)
    if len(code) != LENGTH or any(character not in ALPHABET for character in code):
        raise invalid("code", f"has {LENGTH} digits and letters, none of them U")
    return code


def _expiry(table: Table, seconds: int) -> int:
    """When a new code ends: with the match's wait for players, or after so many seconds; ms."""
    latest = table.create_time_ms + table.options.expire_seconds * 1000
    return min(latest, int(time.time() * 1000) + seconds * 1000) if seconds else latest


@contextmanager
def _store_away() -> Iterator[None]:
    try:
        yield
    except Unavailable:
        text = "the store of invitations cannot be reached"
        raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, text, retry_s=0.5) from None
    except StorageLow:
        raise Refused(Reason.ERROR_REASON_STORAGE_LOW, "the store has no room", retry_s=5.0) from None
