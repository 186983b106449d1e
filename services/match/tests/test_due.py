"""What is due of a match is done once, and not to a match that went on meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from argosy.v1 import entry_pb2

from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from services.match.deciding import Decider
from services.match.drafts import Draft, aborted
from services.match.matches import Matches
from services.match.recording import Recorder, Request
from services.match.rules import RulesDirectory
from services.match.table import Phase, Table
from services.match.tables import Tables
from services.match.tests.beginnings import first_draft
from services.match.tests.card_rules import card_game, card_rules, serving
from tests.servers import running


class Gateway:
    """One process that serves matches."""

    def __init__(self, log: EventLog, directory: RulesDirectory, group: asyncio.TaskGroup) -> None:
        self.tables = Tables(log, directory, group, None, 10)
        self.recorder = Recorder(self.tables, 0)
        self.matches = Matches(self.tables, self.recorder, Decider(group))

    async def append(self, table: Table, draft: Draft) -> None:
        """Records the draft."""
        assert await self.recorder.append(table, draft, Request())


@asynccontextmanager
async def two_gateways() -> AsyncIterator[tuple[Gateway, Gateway, Table]]:
    """Both at one store, in which the first has begun a match."""
    with running() as store:
        async with (
            open_log(RedisSettings(redis_url=store.url)) as log,
            serving(card_rules(card_game())) as address,
            asyncio.TaskGroup() as group,
        ):
            directory = RulesDirectory({"cards": address})
            await directory.refresh()
            first, second = (Gateway(log, directory, group) for _ in range(2))
            table, draft = first_draft(directory.game("cards"))
            await first.append(table, draft)
            yield first, second, table
            await directory.close()


async def settle_behind(gateway: Gateway, behind: Table) -> int:
    """The gateway settles the match, of which news is on its way; how many entries there are then."""
    behind.is_followed = True
    await gateway.matches.settle_due(behind.match)
    head = await gateway.tables.log.head(behind.match)
    assert head is not None
    return head.version


async def test_a_match_that_another_has_ended_is_left_alone() -> None:
    async with two_gateways() as (first, second, table):
        behind = await second.tables.get(table.match)
        behind.create_time_ms = 1  # it has expired long ago
        await first.append(table, aborted("EXPIRED"))
        assert await settle_behind(second, behind) == 2


@pytest.mark.parametrize("create_time_ms", [None, 1])
async def test_a_match_that_another_has_just_started_is_left_alone(create_time_ms: int | None) -> None:
    async with two_gateways() as (first, second, table):
        behind = await second.tables.get(table.match)
        behind.create_time_ms = behind.create_time_ms if create_time_ms is None else create_time_ms
        part = entry_pb2.EntryPart()
        part.start.seats = 2
        await first.append(table, Draft(part))
        assert table.phase is Phase.ACTIVE
        assert await settle_behind(second, behind) == 2


async def test_what_is_due_is_done() -> None:
    async with two_gateways() as (_, second, table):
        behind = await second.tables.get(table.match)
        behind.create_time_ms = 1
        assert await settle_behind(second, behind) == 2
        assert behind.phase is Phase.ABORTED
