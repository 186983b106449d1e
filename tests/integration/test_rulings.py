"""Rulings on matches, through real processes by the public API."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import redis.asyncio
from argosy.client import Client
from argosy.client.ids import raw_id
from argosy.client.receipts import receipt_keys
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from services.kit import checkpoints, signatures
from services.kit.log import partitions
from services.kit.merkle import root_of_inclusion
from services.replay.rulings.service import MOST
from tests.integration.players import guests, play_all, seated_match
from tests.integration.rulings import in_library, logged, refused, started
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


async def test_a_finished_match_is_ruled_on_beside_its_history(host: Client, pair: list[Client]) -> None:
    match = await seated_match(pair)
    (*_, last), _ = await play_all(pair, match)
    await host.hosting.rule(match, Kind.KIND_NOTE, "LATE_ARRIVAL")
    given = await host.hosting.rule(match, Kind.KIND_ADJUDICATE, "WRONG_SETTINGS", scores=[0.25, 0.75])
    found = await logged(pair[0], match)
    assert [pb.Ruling.FromString(one.ruling).kind for one in found] == [Kind.KIND_NOTE, Kind.KIND_ADJUDICATE]
    assert found[1].ruling == given.ruling
    ruling = pb.Ruling.FromString(given.ruling)
    assert (ruling.match, ruling.reason, list(ruling.scores)) == (raw_id(match), "WRONG_SETTINGS", [0.25, 0.75])
    assert (ruling.head.version, ruling.head.digest) == (last.version, last.digest)
    assert ruling.by == raw_id((await host.me()).name.replace("players/", "matches/"))
    keys = receipt_keys(await host.platform())
    signed = signatures.message(signatures.RULING, given.ruling)
    Ed25519PublicKey.from_public_bytes(keys[given.key_id]).verify(given.signature, signed)
    for one in found:
        head = checkpoints.read(one.proof.checkpoint)
        assert one.proof.leaf == signatures.leaf(signatures.RULING, one.ruling)
        assert root_of_inclusion(one.proof.leaf, one.proof.index, head.size, one.proof.path) == head.root
    summary = await in_library(pair[0], match, lambda found: found.HasField("end") and found.rulings == 2)
    assert summary.ruling == ruling
    assert summary.end == last.end
    exported = pb.Export.FromString(await pair[1].export(match))
    assert [one.ruling for one in exported.rulings] == [one.ruling for one in found]
    assert all(one.HasField("proof") for one in exported.rulings)


async def test_the_last_ruling_holds(host: Client, pair: list[Client]) -> None:
    match = await started(pair)
    await pair[0].resign(match)
    await host.hosting.rule(match, Kind.KIND_VOID, "CHEATING")
    await host.hosting.rule(match, Kind.KIND_ADJUDICATE, "APPEAL_UPHELD", scores=[1, 0])
    await host.hosting.rule(match, Kind.KIND_NOTE, "CLOSED_CASE")
    summary = await in_library(pair[0], match, lambda found: found.rulings == 3)
    assert (summary.ruling.kind, summary.ruling.reason) == (Kind.KIND_ADJUDICATE, "APPEAL_UPHELD")


async def test_a_ruling_is_made_once_for_a_request(host: Client, pair: list[Client]) -> None:
    match = await started(pair)
    await pair[0].resign(match)
    asked = [host.hosting.rule(match, Kind.KIND_VOID, "CHEATING", request_id="0123456789abcdef") for _ in range(8)]
    assert len({one.ruling for one in await asyncio.gather(*asked)}) == 1
    with refused("REQUEST_ID_REUSED"):
        await host.hosting.rule(match, Kind.KIND_VOID, "BORED", request_id="0123456789abcdef")
    assert len([one async for one in host.hosting.rulings(match)]) == 1


async def test_what_is_no_ruling_is_refused(host: Client, pair: list[Client]) -> None:
    match = await started(pair)
    await pair[0].resign(match)
    for scores in ((), (1,), (1, 0, 0), (1, -0.1), (1.1, 0), (float("nan"), 0)):
        with refused("INVALID_REQUEST", "scores"):
            await host.hosting.rule(match, Kind.KIND_ADJUDICATE, "APPEAL", scores=scores)
    with refused("INVALID_REQUEST", "scores"):
        await host.hosting.rule(match, Kind.KIND_VOID, "APPEAL", scores=[1, 0])
    for reason in ("", "he cheated", "Ann", "A" * 61, "A_", "_A", "Ä"):
        with refused("INVALID_REQUEST", "reason"):
            await host.hosting.rule(match, Kind.KIND_NOTE, reason)
        with refused("INVALID_REQUEST", "reason"):
            await host.hosting.abort(match, reason)
    with refused("INVALID_REQUEST", "kind"):
        await host.hosting.rule(match, Kind.KIND_UNSPECIFIED, "APPEAL")
    with refused("NOT_FOUND"):
        await host.hosting.rule("matches/0123456789abcdefghjkmnpqrs", Kind.KIND_NOTE, "APPEAL")
    assert [one async for one in host.hosting.rulings(match)] == []


async def test_players_do_not_rule(platform: Platform, pair: list[Client]) -> None:
    match = await started(pair)
    async with Client.connect(platform.address, key=platform.key("play")) as bot:
        for client in (pair[0], bot):
            with refused("SCOPE_MISSING"):
                await client.hosting.rule(match, Kind.KIND_NOTE, "APPEAL")
            with refused("SCOPE_MISSING"):
                await client.hosting.abort(match, "APPEAL")
    async with Client.connect(platform.address, key=platform.key("admin")) as admin:
        await admin.hosting.rule(match, Kind.KIND_NOTE, "APPEAL")


async def test_rulings_are_told_to_who_may_see_the_match(host: Client, platform: Platform, pair: list[Client]) -> None:
    options = Options(min_seats=2, max_seats=2, spectators=Options.SPECTATORS_NONE)
    match = (await pair[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)], options=options)).name
    await pair[1].join(match)
    await host.hosting.rule(match, Kind.KIND_NOTE, "LATE_ARRIVAL")
    async with Client.connect(platform.address, guest="Stranger") as stranger:
        with refused("NOT_FOUND"):
            _ = [one async for one in stranger.hosting.rulings(match)]
    assert len([one async for one in pair[1].hosting.rulings(match)]) == 1


async def test_a_frozen_match_can_be_ruled_on_and_exported(
    host: Client, platform: Platform, pair: list[Client]
) -> None:
    match = await started(pair)
    frozen = partitions.keys_of(raw_id(match)).frozen
    async with redis.asyncio.from_url(platform.store.url) as store:
        await store.set(frozen, "1/chain")
        with refused("INVALID_REQUEST", "kind"):
            await host.hosting.rule(match, Kind.KIND_UNSPECIFIED, "FROZEN")
        with refused("MATCH_GOES_ON"):
            await host.hosting.rule(match, Kind.KIND_DISCLOSE, "FROZEN")
        given = await host.hosting.rule(match, Kind.KIND_ADJUDICATE, "FROZEN", scores=[0.5, 0.5])
        exported = pb.Export.FromString(await pair[0].export(match, seat=0))
        await store.delete(frozen)
    assert pb.Ruling.FromString(given.ruling).head.digest == exported.entries[-1].digest
    assert [one.ruling for one in exported.rulings] == [given.ruling]


async def test_a_history_that_does_not_hold_together_can_be_ruled_on(
    host: Client, platform: Platform, pair: list[Client]
) -> None:
    match = await started(pair)
    head = (await pair[0].get(match)).head
    await in_library(host, match, lambda found: found.head == head)
    async with redis.asyncio.from_url(platform.store.url) as store:
        await store.xadd(partitions.keys_of(raw_id(match)).history, {"h": "x", "e": "y"}, id="0-77")
    given = await host.hosting.rule(match, Kind.KIND_VOID, "HISTORY_LOST")
    assert pb.Ruling.FromString(given.ruling).head == head
    assert len([one async for one in pair[1].hosting.rulings(match)]) == 1


async def test_a_late_spectator_is_not_told_how_far_the_match_is(
    host: Client, platform: Platform, pair: list[Client]
) -> None:
    options = Options(
        min_seats=2, max_seats=2, spectators=Options.SPECTATORS_DELAYED, delay_versions=1, delay_seconds=0
    )
    match = (await pair[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)], options=options)).name
    await pair[1].join(match)
    await host.hosting.rule(match, Kind.KIND_NOTE, "LATE_ARRIVAL")
    async with Client.connect(platform.address, guest="Stranger") as stranger:
        exported = pb.Export.FromString(await stranger.export(match))
        assert len(exported.entries) == 1
        assert not exported.rulings
        assert [one async for one in stranger.hosting.rulings(match)] == []
        await pair[0].resign(match)
        assert len([one async for one in stranger.hosting.rulings(match)]) == 1


async def test_rulings_come_in_pages_and_not_without_end(host: Client, pair: list[Client]) -> None:
    match = await started(pair)
    for _ in range(MOST):
        await host.hosting.rule(match, Kind.KIND_NOTE, "AGAIN")
    with refused("TOO_LARGE"):
        await host.hosting.rule(match, Kind.KIND_NOTE, "AGAIN")
    found = [one.ruling async for one in host.hosting.rulings(match)]
    assert len(found) == len(set(found)) == MOST
    times = [pb.Ruling.FromString(one).rule_time_ms for one in found]
    assert times == sorted(times)


async def test_rulings_survive_a_lost_library_and_other_processes() -> None:
    async with (
        run_platform(replay=2) as platform,
        guests(platform) as pair,
        Client.connect(platform.address, key=platform.key("host")) as host,
    ):
        match = await started(pair, Options.DISCLOSURE_BY_HOST)
        await pair[0].resign(match)
        await host.hosting.rule(match, Kind.KIND_VOID, "CHEATING", request_id="0123456789abcdef")
        await host.hosting.disclose(match)
        before = await logged(host, match)
        for replay in platform.replay:
            await replay.end()
        for path in platform.folder.glob("library.db*"):
            path.unlink()
        for replay in platform.replay:
            await replay.start()
        assert [one.ruling for one in await logged(host, match)] == [one.ruling for one in before]
        await in_library(host, match, lambda found: found.rulings == 2)
        again = await host.hosting.rule(match, Kind.KIND_VOID, "CHEATING", request_id="0123456789abcdef")
        assert again.ruling == before[0].ruling
        assert (await pair[0].get(match)).seed
