import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from services.kit.log import ids
from services.kit.log.entries import Entry
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.match.histories import Histories
from services.match.rules import RulesDirectory
from tests.servers import running


async def test_an_archived_history_is_read_once_for_all_its_pages() -> None:
    match, read = ids.match_id(bytes(16), b"any"), list[bytes]()
    whole = [Entry(version, bytes(80), b"x" * 10) for version in range(1, 201)]

    async def archive(asked: bytes) -> Sequence[Entry]:
        read.append(asked)
        return whole

    table: Any = SimpleNamespace(match=match, version=200)
    with running() as store:
        async with open_log(RedisSettings(redis_url=store.url)) as log, asyncio.TaskGroup() as group:
            histories = Histories(log, RulesDirectory({}), group, archive)
            found = [entry for at in range(0, 200, 64) for entry in await histories.entries(table, at, 64)]
    assert found == whole
    assert read == [match]
