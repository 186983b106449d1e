"""Fixtures that every test may use; pyproject.toml loads them."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers
from tests.toy_game.building import compile_messages, on_path


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also what takes long: make soak")


def pytest_configure() -> None:
    """Lets Ctrl-C reach the programs that tests start, also where a shell has started us in the background.

    Such a shell lets us ignore SIGINT, and what a process ignores its children ignore as well.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether a test may take its time."""
    return bool(request.config.getoption("--long"))


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


@pytest.fixture(scope="session")
def toy_messages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the toy game's messages, on the import path while tests run."""
    folder = tmp_path_factory.mktemp("messages")
    compile_messages(folder)
    with on_path(folder):
        yield folder
