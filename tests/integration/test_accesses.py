"""Who read what is kept, wherever it was read, and told to those whom it concerns."""

import asyncio
import contextlib
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Access, Client, Patience
from argosy.client.errors import ArgosyError
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1, gateways=2) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def clients(platform: Platform) -> AsyncIterator[list[Client]]:
    """Two players at the first gateway, a stranger at the second, and an auditor."""
    first, second = (gateway.address for gateway in platform.gateways)
    async with (
        Client.connect(first, guest="Ann") as ann,
        Client.connect(first, guest="Bob") as bob,
        Client.connect(second, guest="Eve") as eve,
        Client.connect(second, key=platform.key("audit")) as auditor,
    ):
        yield [ann, bob, eve, auditor]


async def found(
    client: Client, match: str, is_enough: Callable[[list[Access]], bool], *, privileged: bool = False
) -> list[Access]:
    """The accesses, once there are enough: what is not privileged is kept a moment later."""
    for _ in range(600):
        accesses = [access async for access in client.auditing.accesses(match, privileged=privileged)]
        if is_enough(accesses):
            return accesses
        await asyncio.sleep(0.1)
    raise AssertionError(f"not kept: {accesses}")


def of(accesses: Sequence[Access], method: str, name: str = "") -> list[Access]:
    return [
        access
        for access in accesses
        if access.method == method and access.display_name in (name, name or access.display_name)
    ]


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Keeps everybody else from writing into an SQLite database."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        yield
        database.execute("ROLLBACK")


async def refusal(client: Client, match: str = "") -> str:
    with pytest.raises(ArgosyError) as refused:
        _ = [access async for access in client.auditing.accesses(match)]
    return refused.value.name


async def test_reads_of_a_match_that_goes_on_are_kept_at_every_gateway(clients: list[Client]) -> None:
    ann, bob, eve, auditor = clients
    name = await seated_match(clients[:2])
    watching = aiter(eve.follow(name, stream=False))
    await anext(watching)
    for _ in range(3):
        await ann.get(name)
    await bob.list_actions(name)
    await eve.position(name, 1)
    _ = [entry async for entry in bob.replay(name, after_version=1)]
    await play_all(clients[:2], name)
    last = (await ann.get(name)).head.version
    check_kept(await kept_of(auditor, name, last), name)
    await eve.get(name)  # of a match that is over, what everybody may see is not kept
    await eve.position(name)
    other = await seated_match(clients[:2])
    await eve.get(other)
    await found(auditor, other, lambda all_: bool(of(all_, "GetMatch", "Eve")))
    assert all(access.live or access.privileged for access in await found(auditor, name, bool))
    await ann.resign(other)


async def kept_of(auditor: Client, name: str, last: int) -> list[Access]:
    """The accesses of a match that was read to this version, once all are kept."""
    everything = {("Play", "Ann"), ("Play", "Bob"), ("GetMatch", "Ann"), ("WatchMatch", "Eve"), ("ReadReplay", "Bob")}
    everything |= {("GetReplayPosition", "Eve"), ("ListActions", "Bob")}
    return await found(
        auditor,
        name,
        lambda all_: (
            everything <= {(access.method, access.display_name) for access in all_}
            and len({access.display_name for access in of(all_, "Play") if access.last_version == last}) == 2
        ),
    )


def check_kept(kept: Sequence[Access], name: str) -> None:
    """That each says what was read, by whom and as whom."""
    for player in ("Ann", "Bob"):  # more than one where a stream was broken
        watches = of(kept, "Play", player)
        assert min(watch.first_version for watch in watches) == 1
        assert {tuple(watch.seats) for watch in watches} == {(player == "Bob",)}
        assert {(watch.live, watch.privileged, watch.count, watch.match) for watch in watches} == {
            (True, False, 1, name)
        }
    reads = of(kept, "GetMatch", "Ann")
    assert sum(read.count for read in reads) >= 3
    assert len(reads) < 3
    assert min(read.first_version for read in reads) == 2
    watch = of(kept, "WatchMatch", "Eve")[-1]
    assert (watch.first_version, list(watch.seats)) == (1, [])
    (position,) = of(kept, "GetReplayPosition", "Eve")
    assert (position.first_version, position.last_version) == (1, 1)
    (replay,) = of(kept, "ReadReplay", "Bob")
    assert (replay.first_version, replay.last_version, list(replay.seats)) == (2, 2, [1])


async def test_players_are_told_in_the_end_who_looked_by_scope(platform: Platform, clients: list[Client]) -> None:
    ann, _bob, eve, auditor = clients
    options = Options(disclosure=Options.DISCLOSURE_NEVER, spectators=Options.SPECTATORS_NONE, max_seats=2)
    name = (await ann.create("sirenen", seats=[match_pb.SeatRequest(seat=0)], options=options)).name
    await clients[1].join(name)
    await open_by_scope(platform, auditor, name)
    assert await refusal(ann, name) == "NOT_DISCLOSED"
    assert await refusal(eve, name) == "NOT_FOUND"
    assert await refusal(ann) == "SCOPE_MISSING"
    await ann.resign(name)
    told = [access async for access in ann.auditing.accesses(name)]
    looked = [(a.method, a.opened, a.reason, a.first_version, a.last_version) for a in told]
    assert list(dict.fromkeys(looked)) == [
        ("ExportReplay", True, "complaint 8", 1, 2),
        ("ReadReplay", True, "complaint 7", 1, 2),
        ("GetReplayPosition", False, "is it stuck?", 2, 2),
    ]
    assert {(a.display_name, a.api_key, a.privileged, a.live) for a in told} == {("tests", "", True, True)}
    whole = [access async for access in auditor.auditing.accesses(name, privileged=True)]
    assert all(access.api_key.startswith("apiKeys/") for access in whole)
    assert {access.method for access in whole} >= {"ExportReplay", "ReadReplay", "GetReplayPosition"}
    of_all = [access async for access in auditor.auditing.accesses(player=told[0].player)]
    assert {"ExportReplay", "ListAccesses"} <= {access.method for access in of_all}


async def open_by_scope(platform: Platform, auditor: Client, name: str) -> None:
    """Looks of a host and an auditor at a match that goes on and is never disclosed, for reasons and without."""
    async with Client.connect(platform.address, key=platform.key("host")) as host:
        for read in (host.position(name, opened=True, reason="curious"), host.export(name, opened=True, reason="so")):
            with pytest.raises(ArgosyError) as refused:
                await read
            assert refused.value.name == "NOT_DISCLOSED"
        with pytest.raises(ArgosyError) as refused:
            await host.position(name)
        assert refused.value.name == "REASON_MISSING"
        await host.position(name, reason="is it stuck?")
    for reason in ("", " ", "x" * 201):
        for opening in (
            auditor.export(name, opened=True, reason=reason),
            auditor.position(name, opened=True, reason=reason),
        ):
            with pytest.raises(ArgosyError) as refused:
                await opening
            assert refused.value.name == "REASON_MISSING"
    opened = [entry async for entry in auditor.replay(name, opened=True, reason="complaint\x1b7")]
    assert len(entry_pb2.EntryPart.FromString(opened[0].sealed_parts[-1]).server.seed) == 32
    export = pb.Export.FromString(await auditor.export(name, opened=True, reason="complaint 8"))
    assert list(export.opened) == opened


async def test_what_cannot_be_kept_is_refused_to_who_audits(platform: Platform, clients: list[Client]) -> None:
    ann, auditor = clients[0], clients[3]
    name, once = await seated_match(clients[:2]), Patience(total=0.0, answer=60.0)
    made = Client.connect(platform.address, key=platform.key("audit"), patience=once)
    async with made as hasty, locked(platform.folder / "accesses.db"):
        for read in (hasty.position(name, opened=True, reason="a test"), hasty.get(name)):
            with pytest.raises(ArgosyError) as refused:
                await read
            assert refused.value.name in ("STORAGE_UNAVAILABLE", "SERVICE_UNAVAILABLE")
        await ann.get(name)  # who merely plays does not wait for it
    assert of(await found(auditor, name, lambda all_: bool(of(all_, "GetMatch", "Ann"))), "GetMatch", "Ann")
    await ann.resign(name)


async def test_accesses_outlive_every_process(platform: Platform, clients: list[Client]) -> None:
    ann, _, _, auditor = clients
    name = await seated_match(clients[:2])
    following = aiter(ann.follow(name, seat=0))
    await anext(following)
    await found(auditor, name, lambda all_: bool(of(all_, "Play", "Ann")))
    (replay,) = platform.replay
    await replay.end()
    await replay.start()
    kept = await found(auditor, name, lambda all_: bool(of(all_, "Play", "Ann")))
    assert not of(kept, "Play", "Ann")[0].HasField("end_time")
    await ann.resign(name)
    await found(auditor, name, lambda all_: any(access.HasField("end_time") for access in of(all_, "Play", "Ann")))


async def test_a_watch_at_a_gateway_that_is_killed_stays_without_its_end(
    platform: Platform, clients: list[Client]
) -> None:
    ann, _, eve, _ = clients
    name, second = await seated_match(clients[:2]), platform.gateways[1]
    following = aiter(eve.follow(name))
    await anext(following)
    async with Client.connect(platform.address, key=platform.key("audit")) as auditor:
        await found(auditor, name, lambda all_: bool(of(all_, "Play", "Eve")))
        await second.end(signal.SIGKILL)
        await second.start()
        actor = clients[(await ann.get(name)).status.turn[0]]
        (legal, *_) = await actor.list_actions(name)
        version = (await actor.play(name, legal.action)).update.entry.version
        async for update in following:  # it comes back by itself
            if update.version == version:
                break
        await ann.resign(name)
        _ = [update async for update in following]
        kept = await found(auditor, name, lambda all_: len(of(all_, "Play", "Eve")) > 1)
    assert not all(access.HasField("end_time") for access in of(kept, "Play", "Eve"))
