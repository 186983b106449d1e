"""What tests of hosts and their rulings begin with and wait for."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence

import pytest
from argosy.client import Client
from argosy.client.errors import ArgosyError
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

Options = entry_pb2.MatchOptions


@contextlib.contextmanager
def refused(reason: str, field: str = "") -> Iterator[None]:
    """The block is refused for this reason, by this field of the request."""
    with pytest.raises(ArgosyError) as error:
        yield
    assert error.value.name == reason
    assert error.value.metadata.get("field", "") == field


async def started(pair: Sequence[Client], disclosure: Options.Disclosure.ValueType = Options.DISCLOSURE_AT_END) -> str:
    """A match of two that goes on, which everybody may watch."""
    options = Options(min_seats=2, max_seats=2, disclosure=disclosure, spectators=Options.SPECTATORS_PUBLIC)
    match = await pair[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)], options=options)
    await pair[1].join(match.name)
    return match.name


async def logged(client: Client, match: str) -> list[pb.SignedRuling]:
    """The rulings on the match, once all stand in the log."""
    async with asyncio.timeout(60):
        while True:
            found = [ruling async for ruling in client.hosting.rulings(match)]
            if all(ruling.HasField("proof") for ruling in found):
                return found
            await asyncio.sleep(0.1)


async def in_library(client: Client, match: str, holds: Callable[[pb.MatchSummary], bool]) -> pb.MatchSummary:
    """The match as the library lists it, once it has what is waited for: the library comes a little later."""
    for _ in range(600):
        async for summary in client.matches():
            if summary.name == match and holds(summary):
                return summary
        await asyncio.sleep(0.1)
    raise AssertionError(f"{match} is not listed so")
