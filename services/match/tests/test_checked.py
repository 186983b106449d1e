"""When followers read the history by themselves: news of entries can be lost without a word."""

import asyncio
from typing import Any

from argosy.rules.v1 import rules_service_pb2_grpc
from redis.asyncio import Redis

from services.kit.channels import open_channel
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.match.games import make_entry
from services.match.recording import Recorder, Request
from services.match.rules import RulesDirectory
from services.match.tables import Tables
from services.match.tests.beginnings import first_draft
from services.match.tests.card_rules import card_game
from tests.servers import Store, running


async def reads(store: Store) -> int:
    """How often the store was asked for entries."""
    client = Redis.from_url(store.url)
    try:
        stats: dict[str, Any] = await client.info("commandstats")
    finally:
        await client.aclose()
    return int(stats.get("cmdstat_xrange", {}).get("calls", 0))


async def test_what_was_just_appended_to_is_not_read() -> None:
    with running() as store:
        async with (
            open_log(RedisSettings(redis_url=store.url)) as log,
            open_channel("127.0.0.1:1") as channel,
            asyncio.TaskGroup() as group,
        ):
            tables = Tables(log, RulesDirectory({}), group, None, 10)
            table, draft = first_draft(make_entry(card_game(), rules_service_pb2_grpc.RulesServiceStub(channel)))
            table.checked = -1e9  # long ago, however short this machine has been up
            assert await Recorder(tables, 0).append(table, draft, Request())
            before = await reads(store)
            await tables.check(table, 3600.0)
            assert await reads(store) == before
            await tables.check(table, 0.0)
            assert await reads(store) > before
