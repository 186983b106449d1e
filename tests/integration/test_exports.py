"""An export of a match in every state of its life, and what can be verified of it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import redis.asyncio
from argosy.client import Client
from argosy.client.ids import raw_id
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.export import write_keys
from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.report import Mark
from services.kit.log import partitions
from tests.integration.players import guests, play_all, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1, keeping={"ARGOSY_REPLAY_KEEP_S": "0"}) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(platform: Platform) -> AsyncIterator[Client]:
    async with Client.connect(platform.address, key=platform.key("host")) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(platform: Platform) -> AsyncIterator[list[Client]]:
    async with guests(platform) as clients:
        yield clients


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def given(host: Client, tmp_path_factory: pytest.TempPathFactory) -> Given:
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    write_keys(path, await host.platform())
    return Given(path)


async def exported(client: Client, match: str, given: Given, *, seat: int | None = None) -> tuple[pb.Export, int]:
    """The file, complete in what every file has, and the exit code of its verification."""
    export = pb.Export.FromString(await client.export(match, seat=seat))
    assert (export.form, export.match) == (1, raw_id(match))
    assert {key.use for key in export.keys} == {"token", "receipt", "log"}
    assert all(name.startswith("argosy.games.sirenen.v1.") for name in _types(export))
    assert export.descriptors
    assert export.HasField("export_time")
    assert bool(export.entries) != bool(export.opened)
    report = verify(export, given)
    assert not report.failures, report.failures
    return export, report.exit_code


def _types(export: pb.Export) -> tuple[str, ...]:
    return export.settings_type, export.action_type, export.event_type, export.position_type


async def proven(client: Client, match: str, given: Given) -> tuple[pb.Export, int]:
    """The file once its result stands in the log."""
    for _ in range(600):
        export, code = await exported(client, match, given)
        if export.HasField("proof"):
            return export, code
        await asyncio.sleep(0.1)
    raise AssertionError("the result did not come into the log")


async def retired(platform: Platform, match: str) -> None:
    """Waits until the history has left the store."""
    history = partitions.keys_of(raw_id(match)).history
    async with redis.asyncio.from_url(platform.store.url) as store:
        for _ in range(600):
            if not await store.exists(history):
                return
            await asyncio.sleep(0.1)
    raise AssertionError("the history did not leave the store")


async def test_a_live_match(host: Client, pair: list[Client], given: Given) -> None:
    match = await seated_match(pair)
    await host.hosting.rule(match, pb.Ruling.Kind.KIND_NOTE, "LATE_ARRIVAL")
    own, code = await exported(pair[0], match, given, seat=0)
    assert (code, list(own.seats), len(own.rulings)) == (3, [0], 1)
    assert all(entry.own for entry in own.entries[1:]) == (own.entries[0].own != [])
    assert not own.HasField("result")
    assert not own.HasField("proof")
    watched, code = await exported(host, match, given)
    assert (code, list(watched.seats)) == (3, [])
    assert not any(entry.own for entry in watched.entries)


async def test_an_ended_match_and_an_archived_one(
    host: Client, pair: list[Client], platform: Platform, given: Given
) -> None:
    match = await seated_match(pair)
    await play_all(pair, match)
    before, _ = await exported(pair[0], match, given)
    assert before.HasField("result")
    proven_, code = await proven(pair[1], match, given)
    assert (code, len(proven_.opened)) == (0, len(before.opened))
    await retired(platform, match)
    await host.hosting.rule(match, pb.Ruling.Kind.KIND_VOID, "CHEATING")
    after, code = await exported(pair[0], match, given)
    assert len(after.rulings) == 1
    assert (code, after.opened, after.result) == (0, before.opened, before.result)


async def test_a_match_that_is_not_disclosed(pair: list[Client], given: Given) -> None:
    options = Options(min_seats=2, max_seats=2, disclosure=Options.DISCLOSURE_NEVER)
    match = (await pair[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)], options=options)).name
    await pair[1].join(match)
    await pair[0].resign(match)
    closed, code = await proven(pair[1], match, given)
    assert (code, list(closed.seats), bool(closed.entries)) == (3, [1], True)


@pytest.mark.parametrize("is_started", [True, False])
async def test_an_aborted_match(host: Client, pair: list[Client], given: Given, *, is_started: bool) -> None:
    match = (await pair[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)])).name
    if is_started:
        await pair[1].join(match)
    await host.hosting.abort(match, "POWER_CUT", void=is_started)
    export, code = await proven(pair[0], match, given)
    summary = pb.ResultSummary.FromString(export.result.summary)
    assert (code, summary.end.reason, len(summary.seats)) == (0, "POWER_CUT", 2)


async def test_a_frozen_match(pair: list[Client], platform: Platform, given: Given) -> None:
    match = await seated_match(pair)
    async with redis.asyncio.from_url(platform.store.url) as store:
        await store.set(partitions.keys_of(raw_id(match)).frozen, "1/chain")
        export, code = await exported(pair[0], match, given)
        await store.delete(partitions.keys_of(raw_id(match)).frozen)
    assert (code, export.HasField("result")) == (3, False)


async def test_every_check_is_named(pair: list[Client], given: Given) -> None:
    match = await seated_match(pair)
    await play_all(pair, match)
    export, _ = await proven(pair[0], match, given)
    checks = {check.name: check.mark for check in verify(export, given).checks}
    assert checks == dict.fromkeys(
        (
            *("versions", "seed", "chain", "sealed parts", "requests", "player entropy", "draws", "decisions"),
            *("result", "summary", "signature", "inclusion"),
        ),
        Mark.HOLDS,
    )
    unknown = {check.name for check in verify(export, Given()).checks if "unknown" in check.text}
    assert unknown == {"signature", "inclusion"}
