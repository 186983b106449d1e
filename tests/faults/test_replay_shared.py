"""Replay in several processes, its disk full, its feed trimmed, an entry that nobody can read: the others go on."""

import asyncio
import os
import resource
import secrets
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest
from argosy.client import Client
from argosy.client.credentials import Account
from argosy.client.errors import ArgosyError
from argosy.client.ids import new_request_id
from argosy.client.retry import Patience
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as pb

from services.kit.log import ids, partitions
from services.kit.log.asking import ask
from services.kit.log.log import EventLog, open_log
from services.kit.log.partitions import keys_of
from services.kit.log.servers import RedisSettings
from services.replay.archive import open_archive
from tests.faults.load import PATIENT
from tests.faults.oracles import audited, check_feeds
from tests.faults.test_replay import Played, check, playing, until_kept
from tests.integration.players import guests, play_all, seated_match
from tests.platform import ROOT, Platform, run_platform

NOW = {"ARGOSY_REPLAY_KEEP_S": "0"}
pytestmark = pytest.mark.timeout(600)


async def test_processes_share_the_partitions_and_one_takes_over() -> None:
    played = Played()
    async with run_platform(gateways=0, keeping=NOW) as platform:
        (platform.folder / "anew").mkdir()
        for homes in ("0-127", "128-255", "0-127"):
            platform.of_replay["ARGOSY_REPLAY_PARTITIONS"] = homes
            await platform.add_replay()
        await platform.add_gateway()
        async with playing(platform, played):
            while len(halves(played)) < 2:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)
            for number in (0, 1, 2):
                await platform.replay[number].end(signal.SIGKILL)
                if number:
                    await platform.replay[number].start()
        await until_kept(platform, played)
        await check(platform, played)


def halves(played: Played) -> set[bool]:
    """Whose partitions matches are in."""
    return {ids.from_text(text)[0] > 127 for text in played}


async def test_the_disk_of_replay_is_full_and_is_not_any_more() -> None:
    played = Played()
    async with run_platform(replay=1, keeping=NOW) as platform:
        (platform.folder / "anew").mkdir()
        (replay,) = platform.replay
        async with playing(platform, played):
            full = (platform.folder / "library.db-wal").stat().st_size + 4096  # far more than its log has
            resource.prlimit(replay.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
            while "database_unreachable" not in platform.logs():  # noqa: ASYNC110 - a process tells only its log
                await asyncio.sleep(0.1)
            resource.prlimit(replay.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await until_kept(platform, played)
        await check(platform, played)


async def test_what_both_groups_have_read_is_dropped_and_no_more() -> None:
    """Both consumers are killed under load; library, archive and what is left of the feeds fit the histories."""
    played, keeping = Played(), {"ARGOSY_REPLAY_TRIM_S": "0.2"}
    async with run_platform(matchmaking=1, replay=1, keeping=keeping) as platform:
        async with playing(platform, played):
            for victim in (platform.replay[0], platform.matchmaking[0]) * 2:
                await asyncio.sleep(0.3)
                await victim.end(signal.SIGKILL)
                await victim.start()
        async with open_log(RedisSettings(redis_url=platform.store.url)) as log, asyncio.timeout(240):
            while await left(log) > partitions.COUNT:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)
        histories = await audited(platform, "sirenen", [f"matches/{text}" for text in played])
        await check_feeds(platform, histories, is_trimmed=True)
        archive = open_archive(None, platform.folder)
        async with Client.connect(platform.address, guest="C", patience=PATIENT) as client:
            ended = {match.name: match.head.digest async for match in client.replays()}
        assert ended == {name: entries[-1].digest for name, entries in histories.items()}
        async with asyncio.timeout(240):
            for name, entries in histories.items():
                match = ids.from_text(name.removeprefix("matches/"))
                while await archive.read(match) != entries:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.1)


async def left(log: EventLog) -> int:
    """How many pointers there are."""
    feeds = [partitions.feed_key(home) for home in range(partitions.COUNT)]
    return sum([await ask(log.servers, home, "XLEN", feed) for home, feed in enumerate(feeds)])


async def test_an_entry_that_nobody_can_read_holds_up_nobody_and_can_be_repaired() -> None:
    async with run_platform(matchmaking=1, replay=1, keeping=NOW) as platform, guests(platform) as clients:
        spoilt, sound = await two_in_one_partition(clients)
        keys, head = keys_of(ids.from_text(spoilt.removeprefix("matches/"))), (await clients[0].get(spoilt, 0)).head
        async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
            client = log.servers.all[0].client
            await client.xadd(keys.history, {"h": bytes(80), "e": b"\xff poison"}, id=f"0-{head.version + 1}")
            await client.xadd(keys.feed, {"m": f"{spoilt.removeprefix('matches/')}:{head.version + 1}"})
            await until_listed(clients[0], spoilt, pb.Match.STATE_FROZEN)
            live = await play_all(clients, sound)
            while "entry_not_heard" not in platform.logs():  # noqa: ASYNC110 - matchmaking tells only its log
                await asyncio.sleep(0.1)
            await until_kept(platform, {sound.removeprefix("matches/"): live[0][-1].digest})
            assert await repair(platform, spoilt) == 1
            kept = await ask(log.servers, 0, "XRANGE", keys.history, "-", f"0-{head.version}")
            await client.delete(keys.history)
            for at, fields in kept:
                await ask(log.servers, 0, "XADD", keys.history, at, *fields)
        assert await repair(platform, spoilt) == 0
        assert await argosy(platform, "replay", "reindex", "--data", str(platform.folder)) == 0
        await until_listed(clients[0], spoilt, pb.Match.STATE_ACTIVE)
        live = await play_all(clients, spoilt)
        await until_kept(platform, {spoilt.removeprefix("matches/"): live[0][-1].digest})


async def two_in_one_partition(clients: Sequence[Client]) -> tuple[str, str]:
    """Two matches of the same feed."""
    seen = dict[int, str]()
    while True:
        name = await seated_match(clients)
        home = ids.from_text(name.removeprefix("matches/"))[0]
        if home in seen:
            return seen[home], name
        seen[home] = name


async def until_listed(client: Client, name: str, state: pb.Match.State.ValueType) -> None:
    """Waits until the library says so."""
    async with asyncio.timeout(240):
        while name not in {match.name async for match in client.matches(player="players/me", states=[state])}:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.1)


async def repair(platform: Platform, name: str) -> int:
    rules = f"sirenen={platform.rules[0].address}"
    return await argosy(platform, "repair", name, "--redis-url", platform.store.url, "--rules", rules)


async def argosy(platform: Platform, *words: str) -> int:
    """The exit code of a command."""
    environ = {**os.environ, "ARGOSY_REDIS_URL": platform.store.url} if words[0] == "replay" else None
    command = [sys.executable, "-m", "gateway.cli", *words]
    return (await asyncio.to_thread(subprocess.run, command, cwd=ROOT, env=environ, check=False)).returncode


async def test_matches_are_made_while_replay_is_away_and_none_of_them_twice() -> None:
    """An id that says when it was made needs no archive, but for one whose match is there; of others it is asked."""
    async with run_platform(replay=1, keeping=NOW) as platform, guests(platform) as clients:
        ann, bob = clients
        dated, undated = new_request_id(), secrets.token_hex(16)
        options = entry_pb2.MatchOptions(min_seats=2, max_seats=2)
        first = await ann.create("sirenen", seats=[pb.SeatRequest(seat=0)], options=options, request_id=dated)
        await bob.join(first.name)
        end = (await ann.resign(first.name)).head
        await until_kept(platform, {first.name.removeprefix("matches/"): end.digest})
        fresh = await platform.add_gateway()  # one that remembers nothing
        assert isinstance(ann.credentials, Account)
        await platform.replay[0].end(signal.SIGKILL)
        async with Client.connect(
            fresh.address, account=ann.credentials, patience=Patience(total=0.0, answer=60.0)
        ) as late:
            assert (await late.create("sirenen")).head.version == 1
            for request_id in (dated, undated):
                with pytest.raises(ArgosyError) as refused:
                    await late.create("sirenen", seats=[pb.SeatRequest(seat=0)], options=options, request_id=request_id)
                assert refused.value.name == "ARCHIVE_UNAVAILABLE"
            await platform.replay[0].start()
            again = await ann_again(late, options, dated)
            assert (again.name, again.head) == (first.name, end)


async def ann_again(client: Client, options: entry_pb2.MatchOptions, request_id: str) -> pb.Match:
    """The creation once more, until the archive answers."""
    async with asyncio.timeout(240):
        while True:
            try:
                seats = [pb.SeatRequest(seat=0)]
                return await client.create("sirenen", seats=seats, options=options, request_id=request_id)
            except ArgosyError as error:
                if error.name != "ARCHIVE_UNAVAILABLE":
                    raise
            await asyncio.sleep(0.1)
