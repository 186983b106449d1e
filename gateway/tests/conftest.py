from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.accounts.store import sqlite_url
from gateway.tests import postgres


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("the programs of Postgres (initdb, pg_ctl) are not installed")
    with postgres.running(programs) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def accounts_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind in turn; the Postgres one is shared by the tests of a session."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    url: str = request.getfixturevalue("postgres_url")
    return url
