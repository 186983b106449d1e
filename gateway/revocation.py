"""Ends what goes on with an API key once it is revoked, at this gateway, another, or where the accounts are."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from gateway.accounts.api_keys import ApiKeys
from gateway.tokens import Tokens
from services.kit.errors import Reason, Refused
from services.kit.waiting import is_set_within

_LOOK_S: Final = 1.0
_log = structlog.get_logger()


class Revocation:
    """The open streams of API keys. Register `watch_over` as a task of the process."""

    def __init__(self, api_keys: ApiKeys, tokens: Tokens) -> None:
        self._api_keys, self._tokens = api_keys, tokens
        self._open: dict[str, set[asyncio.Task[object]]] = {}
        self._ended: set[asyncio.Task[object]] = set()

    @contextmanager
    def ending(self, key: str | None) -> Iterator[None]:
        """Refuses UNAUTHENTICATED from within the block, which the current task runs, when the key is revoked."""
        task = asyncio.current_task()
        if key is None or task is None:
            yield
            return
        self._open.setdefault(key, set()).add(task)
        try:
            yield
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "the API key was revoked") from None
        finally:
            self._ended.discard(task)
            self._forget(key, task)

    def end(self, key: str) -> None:
        """Ends the streams of this key, and takes its bearer no longer."""
        self._tokens.forget_key(key)
        for task in self._open.get(key, set()) - self._ended:
            self._ended.add(task)
            task.cancel()

    async def watch_over(self, draining: asyncio.Event) -> None:
        """Asks every second, while keys are in use, which of them are revoked. An absent database is asked again."""
        while not await is_set_within(draining, _LOOK_S):
            await self._look()

    async def _look(self) -> None:
        used = self._open.keys() | self._tokens.keys_in_use
        try:
            revoked = await self._api_keys.revoked_among(used)
        except Refused:
            return  # the database told the log; a call with a key finds it absent as well
        for key in revoked:
            _log.info("api_key_ended", key=key, streams=len(self._open.get(key, ())))
            self.end(key)

    def _forget(self, key: str, task: asyncio.Task[object]) -> None:
        tasks = self._open[key]
        tasks.discard(task)
        if not tasks:
            del self._open[key]
