"""Library, archive and replays, through real processes by the public API."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from argosy.client import Account, Client
from argosy.client.errors import ArgosyError
from argosy.client.updates import Update
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from services.kit.log import ids, partitions
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from tests.integration.players import play_all, seated_match
from tests.platform import ROOT, Platform, run_platform

pytestmark = pytest.mark.asyncio(loop_scope="module")
Options = entry_pb2.MatchOptions
KEEPING = {"ARGOSY_REPLAY_KEEP_S": "0", "ARGOSY_REPLAY_TRIM_S": "0.2"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(replay=1, keeping=KEEPING) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def clients(platform: Platform) -> AsyncIterator[list[Client]]:
    async with (
        Client.connect(platform.address, guest="Ann") as a,
        Client.connect(platform.address, guest="Bob") as b,
        Client.connect(platform.address, guest="Eve") as c,
    ):
        yield [a, b, c]


async def until_gone(platform: Platform, name: str) -> None:
    """Waits until the history has left the store."""
    match = ids.from_text(name.removeprefix("matches/"))
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        for _ in range(1200):
            if await log.head(match) is None:
                return
            await asyncio.sleep(0.05)
    raise AssertionError("the history stays")


def account_of(client: Client) -> Account:
    assert isinstance(client.credentials, Account)
    return client.credentials


def serialized(entries: list[match_pb.Entry]) -> list[bytes]:
    return [entry.SerializeToString(deterministic=True) for entry in entries]


async def test_ones_own_changes_are_listed_at_once(clients: list[Client]) -> None:
    for _ in range(3):
        name = await seated_match(clients[:2])
        for client in clients[:2]:
            (newest, *_) = [m async for m in client.matches(player="players/me")]
            assert (newest.name, newest.state) == (name, match_pb.Match.STATE_ACTIVE)
            assert [seat.display_name for seat in newest.seats] == ["Ann", "Bob"]
        await clients[1].resign(name)
        (ended, *_) = [m async for m in clients[0].replays(player="players/me")]
        assert (ended.name, ended.end.outcome) == (name, entry_pb2.End.OUTCOME_RESIGNED)
        assert [seat.score for seat in ended.seats] == [1, 0]


async def test_results_are_counted_for_each_player(platform: Platform) -> None:
    async with (
        Client.connect(platform.address, guest="Win") as winner,
        Client.connect(platform.address, guest="Loser") as loser,
        Client.connect(platform.address, key=platform.key("host")) as host,
    ):
        assert await winner.record() == []
        for seated in ([winner, loser], [winner, loser], [loser, winner]):
            await loser.resign(await seated_match(seated))
        voided = await seated_match([winner, loser])
        await loser.resign(voided)
        open_match = await seated_match([winner, loser])
        told = [(r.game, r.played, r.won, r.lost, r.drawn, r.score) for r in await winner.record()]
        assert told == [("games/sirenen", 4, 4, 0, 0, 4.0)]
        await host.hosting.rule(voided, pb.Ruling.KIND_VOID, "A_TEST")
        (lost,) = await loser.record()
        assert (lost.played, lost.won, lost.lost) == (3, 0, 3)
        (seen_by_others,) = await loser.record((await winner.me()).name)
        assert (seen_by_others.played, seen_by_others.won) == (3, 3)
        await loser.resign(open_match)


async def test_every_viewer_is_replayed_what_it_received(platform: Platform, clients: list[Client]) -> None:
    name = await seated_match(clients[:2])
    watching = asyncio.create_task(_watched(clients[2], name))
    live = [*await play_all(clients[:2], name), await watching]
    received = [serialized([u.entry for u in updates if u.entry]) for updates in live]
    assert len({len(entries) for entries in received}) == 1
    for _ in range(2):  # from the store or the archive, then surely from the archive
        for client, entries in zip(clients, received, strict=True):
            assert serialized([e async for e in client.replay(name)]) == entries
        assert serialized([e async for e in clients[0].replay(name, seat=0, after_version=9)]) == received[0][9:]
        await until_gone(platform, name)


async def _watched(client: Client, name: str) -> list[Update]:
    return [update async for update in client.follow(name)]


async def test_positions_are_those_that_were_received(platform: Platform, clients: list[Client]) -> None:
    name = await seated_match(clients[:2])
    live = await play_all(clients[:2], name, seed=5)
    await until_gone(platform, name)
    compared = 0
    for client, updates in zip(clients, live, strict=False):
        for update in updates[:: max(1, len(updates) // 8)]:
            if update.position is not None:
                shown = await client.position(name, update.version)
                assert (shown.position, shown.digest) == (update.position, update.digest)
                assert shown.events == update.events
                compared += 1
    assert compared > 6
    last = await clients[0].position(name)
    assert last.version == last.last_version == live[0][-1].version
    with pytest.raises(ArgosyError) as refused:
        await clients[0].position(name, last.version + 1)
    assert refused.value.name == "INVALID_REQUEST"


async def test_a_late_retry_of_the_last_action_gets_its_first_answer(platform: Platform, clients: list[Client]) -> None:
    name = await seated_match(clients[:2])
    actor = clients[(await clients[0].get(name)).status.turn[0]]
    (legal, *_) = await actor.list_actions(name)
    first = await actor.play(name, legal.action, request_id="the-action-of-old")
    resigned = await clients[0].resign(name, request_id="the-resignation-of-old")
    await until_gone(platform, name)
    fresh = await platform.add_gateway()
    async with Client.connect(fresh.address, account=account_of(clients[0])) as late:
        again = await late.resign(name, request_id="the-resignation-of-old")
        assert again.head == resigned.head
        with pytest.raises(ArgosyError) as refused:
            await late.resign(name, request_id="another-resignation")
        assert refused.value.name == "MATCH_ENDED"
    async with Client.connect(fresh.address, account=account_of(actor)) as late:
        repeated = await late.play(name, legal.action, request_id="the-action-of-old")
        assert repeated.update.entry == first.update.entry


async def test_what_was_hidden_is_opened_as_the_match_says(clients: list[Client]) -> None:
    name = await seated_match(clients[:2])
    with pytest.raises(ArgosyError) as refused:
        _ = [e async for e in clients[0].replay(name, opened=True)]
    assert refused.value.name == "NOT_DISCLOSED"
    live = pb.Export.FromString(await clients[0].export(name))
    assert (len(live.entries), len(live.opened), list(live.seats)) == (2, 0, [0])
    await clients[0].resign(name)
    opened = [e async for e in clients[2].replay(name, opened=True)]
    assert all(entry.sealed_parts[-1] for entry in opened)
    assert len(entry_pb2.EntryPart.FromString(opened[0].sealed_parts[-1]).server.seed) == 32
    export = pb.Export.FromString(await clients[2].export(name))
    assert (list(export.opened), len(export.entries)) == (opened, 0)
    assert export.match == ids.from_text(name.removeprefix("matches/"))


async def test_what_is_never_disclosed_is_for_auditors(platform: Platform, clients: list[Client]) -> None:
    options = Options(disclosure=Options.DISCLOSURE_NEVER, spectators=Options.SPECTATORS_NONE, max_seats=2)
    match = await clients[0].create("sirenen", seats=[match_pb.SeatRequest(seat=0)], options=options)
    await clients[1].join(match.name)
    await clients[1].resign(match.name)
    refusals = []
    for client in (clients[0], clients[2]):
        with pytest.raises(ArgosyError) as refused:
            _ = [e async for e in client.replay(match.name, opened=True)]
        refusals.append(refused.value.name)
    assert refusals == ["NOT_DISCLOSED", "NOT_FOUND"]
    assert pb.Export.FromString(await clients[0].export(match.name)).entries
    async with Client.connect(platform.address, key=platform.key("audit")) as auditor:
        assert pb.Export.FromString(await auditor.export(match.name)).opened
    assert match.name not in [m.name async for m in clients[2].matches()]
    with pytest.raises(ArgosyError) as refused:
        await clients[2].position(match.name)
    assert refused.value.name == "NOT_FOUND"


async def test_a_host_looks_at_a_live_match_for_a_reason_that_is_kept(
    platform: Platform, clients: list[Client]
) -> None:
    name = await seated_match(clients[:2])
    own = [await client.position(name) for client in clients[:2]]
    async with Client.connect(platform.address, key=platform.key("host")) as host:
        with pytest.raises(ArgosyError) as refused:
            await host.position(name, opened=True)
        assert refused.value.name == "REASON_MISSING"
        for seat in (0, 1):
            shown = await host.position(name, seat=seat, opened=True, reason="a complaint")
            assert shown.position == own[seat].position
        everything = await host.position(name, opened=True, reason="a complaint")
        assert everything.position not in (own[0].position, own[1].position)
        assert name in [m.name async for m in host.matches(game="sirenen")]
    with pytest.raises(ArgosyError) as refused:
        await clients[0].position(name, opened=True, reason="I want to win")
    assert refused.value.name == "NOT_DISCLOSED"


async def test_the_library_is_made_anew_while_it_serves(platform: Platform, clients: list[Client]) -> None:
    await seated_match(clients[:2])
    before = [m async for m in clients[0].matches(player="players/me")]
    with sqlite3.connect(platform.folder / "library.db") as library:
        library.execute("DELETE FROM seats")
        library.execute("DELETE FROM matches")
    environ = {"ARGOSY_REDIS_URL": platform.store.url, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gateway.cli", "replay", "reindex", "--data", str(platform.folder)]
    made = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=True, cwd=ROOT, env=environ
    )
    counts = json.loads(made.stdout)
    assert counts["log"] > 0
    assert counts["archive"] > 0
    told = f"reindex: {counts['log']} histories of the log read, {counts['archive']} of the archive\n"
    assert made.stderr.endswith(told)
    assert [m async for m in clients[0].matches(player="players/me")] == before


async def test_the_feed_holds_only_what_is_not_read(platform: Platform, clients: list[Client]) -> None:
    name = await seated_match(clients[:2])
    await play_all(clients[:2], name)
    _ = [m async for m in clients[0].matches()]
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log, asyncio.timeout(60):
        client = log.servers.of(0).client
        while max([await client.xlen(partitions.feed_key(p)) for p in range(partitions.COUNT)]) > 1:  # noqa: ASYNC110 - the trimmer is another process
            await asyncio.sleep(0.2)
