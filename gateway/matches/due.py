"""What is due: matches whose players did not say ready in time, that never started, or that nobody plays any more."""

import asyncio
import random
import time

import structlog

from services.kit.errors import Refused
from services.kit.log import ids
from services.kit.log.entries import Unavailable
from services.kit.waiting import is_set_within
from services.match.matches import Matches

_EVERY_S = 1.0
_log = structlog.get_logger()


async def settle_due(matches: Matches, draining: asyncio.Event) -> None:
    """Settles due matches about once a second until the process drains.

    Every gateway does it; the compare-and-set of the log lets one of them succeed. A store that is away is asked again.
    """
    while not await is_set_within(draining, _EVERY_S * random.uniform(0.8, 1.2)):  # noqa: S311 - spreads gateways
        await _settle_all(matches)


async def _settle_all(matches: Matches) -> None:
    try:
        due = await matches.tables.log.due(int(time.time() * 1000))
    except Unavailable:
        _log.warning("due_not_read")
        return
    for match in due:
        try:
            await matches.settle_due(match)
        except Refused as refused:
            _log.warning("due_not_settled", match=ids.to_text(match), code=refused.name)
