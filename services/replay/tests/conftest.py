from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from gateway.tests import postgres
from services.kit.log.log import EventLog, open_log
from services.kit.log.servers import RedisSettings
from services.replay.archive import open_archive
from services.replay.histories import Histories
from services.replay.library import Library, open_library, sqlite_url
from tests.servers import Store


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("postgres is not installed")
    with postgres.running(programs) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
async def library(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Library]:
    """A library of one's own on SQLite; on Postgres one that other tests use too."""
    url = sqlite_url(tmp_path) if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    async with open_library(url) as opened:
        yield opened


@pytest.fixture
async def sqlite_library(tmp_path: Path) -> AsyncIterator[Library]:
    async with open_library(sqlite_url(tmp_path)) as opened:
        yield opened


@pytest.fixture
async def postgres_library(postgres_url: str) -> AsyncIterator[Library]:
    async with open_library(postgres_url) as opened:
        yield opened


@pytest.fixture
async def log(own_store: Store) -> AsyncIterator[EventLog]:
    async with open_log(RedisSettings(redis_url=own_store.url)) as opened:
        yield opened


@pytest.fixture
def histories(log: EventLog, tmp_path: Path) -> Histories:
    return Histories(log, open_archive(None, tmp_path))
