"""Arguments of channels and servers: gRPC ignores those that it does not know, without a word."""

import importlib.util
from pathlib import Path

import pytest

from services.kit import channels
from services.kit.host import INTERNAL, PUBLIC

NAMES = {name for options in (PUBLIC.options(), INTERNAL.options(), channels.OPTIONS) for name, _ in options}


@pytest.fixture(scope="module")
def library() -> bytes:
    found = importlib.util.find_spec("grpc._cython.cygrpc")
    assert found is not None
    assert found.origin
    return Path(found.origin).read_bytes()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_library_knows_the_argument(library: bytes, name: str) -> None:
    assert name.encode() + b"\0" in library
