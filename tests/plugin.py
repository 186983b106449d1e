"""Fixtures that every test may use; the conftest of the repository loads them."""

from collections.abc import Iterator

import pytest

from tests import servers


@pytest.fixture(scope="session")
def store() -> Iterator[servers.Store]:
    """A Valkey that all tests share: use match ids of your own, and neither stop nor flush it."""
    with servers.running() as running:
        yield running


@pytest.fixture(scope="session")
def redis_store() -> Iterator[servers.Store]:
    """The same with Redis."""
    program = servers.redis_program()
    if program is None:
        pytest.skip("redis-server is not installed")
    with servers.running(program) as running:
        yield running


@pytest.fixture(params=["valkey", "redis"])
def any_store(request: pytest.FixtureRequest) -> servers.Store:
    """Each kind of shared store in turn."""
    found: servers.Store = request.getfixturevalue("store" if request.param == "valkey" else "redis_store")
    return found


@pytest.fixture
def own_store() -> Iterator[servers.Store]:
    """A Valkey for one test, which may kill it."""
    with servers.running() as running:
        yield running
