"""Matches that a host ends, and disclosure by the host, through real processes by the public API."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import Client
from argosy.client.receipts import check_receipt, receipt_keys
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from tests.integration.players import guests
from tests.integration.rulings import in_library, refused, started
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Kind = pb.Ruling.Kind
Options = entry_pb2.MatchOptions


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(platform: Platform) -> AsyncIterator[Client]:
    async with Client.connect(platform.address, key=platform.key("host")) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(platform: Platform) -> AsyncIterator[list[Client]]:
    async with guests(platform) as clients:
        yield clients


async def test_a_running_match_is_ended_first(host: Client, pair: list[Client]) -> None:
    match = await started(pair)
    for kind, scores in ((Kind.KIND_VOID, ()), (Kind.KIND_ADJUDICATE, (1, 0)), (Kind.KIND_DISCLOSE, ())):
        with refused("MATCH_GOES_ON"):
            await host.hosting.rule(match, kind, "CHEATING", scores=scores)
    await host.hosting.rule(match, Kind.KIND_NOTE, "SUSPICION")
    followed = asyncio.create_task(_ends(pair[0], match))
    told = await host.hosting.abort(match, "CHEATING", void=True, receipt=True, request_id="0123456789abcdef")
    assert told.match.state == match_pb.Match.STATE_ABORTED
    assert (told.match.end.outcome, told.match.end.reason) == (entry_pb2.End.OUTCOME_VOIDED, "CHEATING")
    check_receipt(told.receipt, match, told.match.head, receipt_keys(await host.platform()))
    assert await asyncio.wait_for(followed, 120) == told.match.end
    again = await host.hosting.abort(match, "CHEATING", void=True, request_id="0123456789abcdef")
    assert again.match.head == told.match.head
    with refused("REQUEST_ID_REUSED"):
        await host.hosting.abort(match, "CHEATING", request_id="0123456789abcdef")
    with refused("MATCH_ENDED"):
        await host.hosting.abort(match, "CHEATING")
    await host.hosting.rule(match, Kind.KIND_VOID, "CHEATING")
    assert (await in_library(host, match, lambda found: found.rulings == 2)).ruling.kind == Kind.KIND_VOID


async def _ends(client: Client, match: str) -> entry_pb2.End:
    async for update in client.follow(match, seat=0):
        if update.end is not None:
            return update.end
    raise AssertionError("the match did not end")


async def test_a_match_that_never_started_can_be_aborted_but_not_adjudicated(host: Client, pair: list[Client]) -> None:
    match = (await pair[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)])).name
    await host.hosting.abort(match, "SPAM")
    with refused("MATCH_NOT_STARTED"):
        await host.hosting.rule(match, Kind.KIND_ADJUDICATE, "SPAM", scores=[1, 0])
    await host.hosting.rule(match, Kind.KIND_VOID, "SPAM")


@pytest.mark.parametrize("void", [False, True])
@pytest.mark.parametrize(
    ("disclosure", "is_open"), [(Options.DISCLOSURE_AT_END, True), (Options.DISCLOSURE_NEVER, False)]
)
async def test_aborted_and_voided_matches_are_disclosed_like_others(
    host: Client, pair: list[Client], *, disclosure: Options.Disclosure.ValueType, is_open: bool, void: bool
) -> None:
    match = await started(pair, disclosure)
    assert not (await pair[0].get(match)).seed
    await host.hosting.abort(match, "CHEATING", void=void)
    await host.hosting.rule(match, Kind.KIND_VOID, "CHEATING")
    assert len((await pair[0].get(match)).seed) == (32 if is_open else 0)
    exported = pb.Export.FromString(await pair[0].export(match))
    assert (bool(exported.opened), bool(exported.entries)) == (is_open, not is_open)
    assert exported.HasField("result")


async def test_a_host_discloses_a_match_for_all(host: Client, pair: list[Client]) -> None:
    match = await started(pair, Options.DISCLOSURE_BY_HOST)
    await pair[0].resign(match)
    assert not (await pair[1].get(match)).seed
    with refused("NOT_DISCLOSED"):
        _ = [entry async for entry in pair[1].replay(match, opened=True)]
    assert pb.Export.FromString(await pair[1].export(match)).entries
    with refused("SCOPE_MISSING"):
        await pair[1].hosting.disclose(match)
    await host.hosting.disclose(match)
    seed = (await pair[1].get(match)).seed
    opened = [entry async for entry in pair[1].replay(match, opened=True)]
    whole = entry_pb2.EntryPart.FromString(opened[0].sealed_parts[-1])
    assert whole.server.seed == seed
    assert len(pb.Export.FromString(await pair[1].export(match)).opened) == len(opened)
    await host.hosting.disclose(match)


async def test_only_what_is_the_hosts_to_disclose(host: Client, pair: list[Client]) -> None:
    for disclosure in (Options.DISCLOSURE_NEVER, Options.DISCLOSURE_AT_END):
        match = await started(pair, disclosure)
        await pair[0].resign(match)
        with refused("INVALID_REQUEST", "kind"):
            await host.hosting.disclose(match)
