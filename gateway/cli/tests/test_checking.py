"""The demo's checks find what is wrong, and name it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from argosy.client import Client, Transcript
from argosy.client.ids import raw_id

from deploy.local.processes import Addresses, Platform
from deploy.local.supervisor import running
from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.store import open_store, sqlite_url
from gateway.cli.demo.archiving import Shelves, compare, wait_archived
from gateway.cli.demo.checking import Findings, Sources, check_all, open_sources
from gateway.cli.demo.matching import seat_by_tickets
from gateway.cli.demo.progress import Board, percentile
from gateway.cli.demo.samples import samples_of, share_out
from gateway.cli.demo.seating import Seated, Seating, make_players, parties
from gateway.cli.demo.summary import summarize
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings

GAME = "sirenen"


@dataclass
class Played:
    """Matches that were resigned at once, as the demo knows them."""

    host: Client
    sources: Sources
    addresses: Addresses
    board: Board
    shelves: Shelves

    async def check(self) -> Findings:
        """What the demo would find."""
        return await check_all(self.host, self.sources, self.addresses.rules, self.board, Findings())


async def make_key(data: Path) -> str:
    store = await open_store(sqlite_url(data))
    try:
        return (await ApiKeys(store).create("tests", ("host", "play"), "0123456789abcdef"))[1]
    finally:
        await store.close()


async def received(client: Client, match: Seated, seat: int) -> tuple[str, int]:
    """The digest of all entries of an ended match and their number, as its bot would tell them."""
    transcript = Transcript()
    async with client.as_player(match.players[seat]) as player:
        async for update in player.follow(match.name, seat=seat):
            assert update.entry is not None
            transcript.add(update.entry)
    return transcript.digest, transcript.entries


@asynccontextmanager
async def played(data: Path, count: int) -> AsyncIterator[Played]:
    """Matches made of tickets and ended, on a platform that keeps no ended match in its log."""
    environ = {"ARGOSY_REPLAY_KEEP_S": "0"}
    async with AsyncExitStack() as stack:
        platform = Platform(data, listen="127.0.0.1:0", games=(GAME,), environ=environ)
        addresses = await stack.enter_async_context(running(platform))
        assert addresses is not None
        host = await stack.enter_async_context(Client.connect(addresses.gateway, key=await make_key(data)))
        log = await stack.enter_async_context(open_log(RedisSettings(redis_url=addresses.redis)))
        samples, seating = samples_of([await host.game(GAME)], count), Seating(2 * count)
        await seat_by_tickets(host, addresses.gateway, samples, seating)
        assert seating.problems == []
        board = Board(seating.matches)
        for match in board.matches:
            async with host.as_player(match.players[0]) as player:
                await player.resign(match.name, 0)
            for seat in range(2):
                digest, entries = await received(host, match, seat)
                told = {"match": match.name, "seat": seat, "entries": entries, "reason": "RESIGNATION"}
                board.hear({**told, "digest": digest})
        shelves = Shelves(count)
        await wait_archived(host, shelves)
        for _ in range(600):  # what is audited then can only come from the archive
            if not any([await log.read(raw_id(match.name), 0) for match in board.matches]):
                break
            await asyncio.sleep(0.2)
        else:
            raise AssertionError("ended matches stay in the log")
        sources = await stack.enter_async_context(open_sources(log, addresses.replay))
        yield Played(host, sources, addresses, board, shelves)


async def test_whatever_is_not_as_it_was_played_is_named(tmp_path: Path) -> None:
    async with played(tmp_path, 3) as it:
        assert len({a.player for match in it.board.matches for a in match.players}) == 4
        findings = await it.check()
        assert findings.differences == compare(it.board, it.shelves) == []
        assert (findings.histories, findings.archived, findings.replays) == (3, 3, 6)

        wrong = it.board.matches[1].name
        it.board.digests[wrong, 1] = "00" * 32
        findings = await it.check()
        assert len(findings.differences) == 1
        assert f"{wrong} seat 1" in findings.differences[0]
        assert not summarize(it.board, findings)["is_well"]

        del it.board.digests[wrong, 1]
        it.board.hear({"match": wrong, "seat": 1, "problem": "STORAGE_UNAVAILABLE"})
        assert (await it.check()).differences == [f"{wrong} seat 1: STORAGE_UNAVAILABLE"]

        it.board.entries[wrong] += 1
        assert [wrong in problem for problem in compare(it.board, it.shelves)] == [True]
        del it.shelves.ended[wrong]
        assert compare(it.board, it.shelves) == [f"{wrong} has ended and is not in the list of replays"]


async def test_nobody_waits_twice_in_one_queue(tmp_path: Path) -> None:
    async with running(Platform(tmp_path, listen="127.0.0.1:0", games=("ruhe",))) as addresses:
        assert addresses is not None
        async with Client.connect(addresses.gateway, key=await make_key(tmp_path)) as host:
            samples = sorted(samples_of([await host.game("ruhe")], 30), key=lambda sample: sample.queue)
            accounts = await make_players(host, samples)
    waiting = [(s.queue, a.player) for s, p in zip(samples, parties(accounts, samples), strict=True) for a in p]
    assert len(waiting) == len(set(waiting)) == sum(sample.seats for sample in samples)
    assert len(accounts) < len(waiting) / 3


@pytest.mark.parametrize("count", [1, 2, 7, 50])
def test_matches_are_shared_out_by_their_length(count: int) -> None:
    entries = [300, 0, 50]
    given = [share_out(entries, count).count(game) for game in range(3)]
    assert sum(given) == count
    assert all(given) is (count >= 3)
    totals = [number * (length or 100) for number, length in zip(given, entries, strict=True)]
    assert max(totals) - min(totals) <= 300


def test_percentiles_of_few_values() -> None:
    assert percentile([], 50) == 0
    assert percentile([3.0], 99) == 3
    assert percentile([float(n) for n in range(101)], 50) == 50
    assert percentile([float(n) for n in range(101)], 99) == 99
