from collections.abc import AsyncIterator

import pytest

from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from tests.histories import Match
from tests.servers import Store


@pytest.fixture
def match() -> Match:
    return Match()


@pytest.fixture
async def log(any_store: Store) -> AsyncIterator[EventLog]:
    """The log on each kind of server in turn."""
    async with open_log(RedisSettings(redis_url=any_store.url)) as opened:
        yield opened
