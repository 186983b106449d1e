"""The demo's checks find what is wrong, and name it."""

import asyncio
from pathlib import Path

from argosy.client import Client, Transcript

from deploy.local.processes import Platform
from deploy.local.supervisor import running
from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.store import open_store, sqlite_url
from gateway.cli.demo.checking import Findings, check_all
from gateway.cli.demo.progress import Board, percentile
from gateway.cli.demo.seating import Sample, Seated, samples_of, seat_matches
from gateway.cli.demo.summary import summarize
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings


async def make_key(data: Path) -> str:
    store = await open_store(sqlite_url(data))
    try:
        return (await ApiKeys(store).create("tests", ("host", "play"), "0123456789abcdef"))[1]
    finally:
        await store.close()


async def received(client: Client, match: Seated, seat: int) -> str:
    """The digest of all entries of an ended match, as its bot would tell it."""
    transcript = Transcript()
    async with client.as_player(match.players[seat]) as player:
        async for update in player.follow(match.name, seat=seat):
            assert update.entry is not None
            transcript.add(update.entry)
    return transcript.digest


async def test_a_seat_that_received_other_bytes_is_named(tmp_path: Path) -> None:
    async with running(Platform(tmp_path, listen="127.0.0.1:0", games=("sirenen",))) as addresses:
        assert addresses is not None
        async with (
            Client.connect(addresses.gateway, key=await make_key(tmp_path)) as host,
            open_log(RedisSettings(redis_url=addresses.redis)) as log,
        ):
            board = Board(await seat_matches(host, samples_of([await host.game("sirenen")], 2)))
            for match in board.matches:
                async with host.as_player(match.players[0]) as player:
                    await player.resign(match.name, 0)
                for seat in range(2):
                    told = {"match": match.name, "seat": seat, "entries": 0, "reason": "RESIGNATION"}
                    board.hear({**told, "digest": await received(host, match, seat)})
            findings = await check_all(host, log, addresses.rules, board, Findings())
            assert findings.differences == []
            assert (findings.histories, findings.replays) == (2, 4)

            wrong = board.matches[1].name
            board.digests[wrong, 1] = "00" * 32
            findings = await check_all(host, log, addresses.rules, board, Findings())
            assert len(findings.differences) == 1
            assert f"{wrong} seat 1" in findings.differences[0]
            assert not summarize(board, findings)["is_well"]

            del board.digests[wrong, 1]
            board.hear({"match": wrong, "seat": 1, "problem": "STORAGE_UNAVAILABLE"})
            findings = await check_all(host, log, addresses.rules, board, Findings())
            assert findings.differences == [f"{wrong} seat 1: STORAGE_UNAVAILABLE"]


def test_matches_are_spread_over_games_and_their_samples(tmp_path: Path) -> None:
    async def read() -> list[Sample]:
        platform = Platform(tmp_path, listen="127.0.0.1:0", games=("sirenen", "ruhe"))
        async with running(platform) as addresses:
            assert addresses is not None
            async with Client.connect(addresses.gateway, guest="Ann") as client:
                return samples_of([await client.game("sirenen"), await client.game("ruhe")], 7)

    samples = asyncio.run(read())
    assert [s.game for s in samples] == ["sirenen", "ruhe"] * 3 + ["sirenen"]
    assert samples[0].settings != samples[2].settings


def test_percentiles_of_few_values() -> None:
    assert percentile([], 50) == 0
    assert percentile([3.0], 99) == 3
    assert percentile([float(n) for n in range(101)], 50) == 50
    assert percentile([float(n) for n in range(101)], 99) == 99
