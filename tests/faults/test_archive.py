"""The archive in a bucket, whose server goes away and comes back: nothing leaves the store before it is safe there."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from argosy.client import Client, Update
from argosy.client.errors import ArgosyError
from argosy.client.retry import Patience

from services.kit.log import ids
from services.kit.log.log import open_log
from services.kit.log.servers import RedisSettings
from services.replay.archive import decode, path_of
from tests import buckets
from tests.buckets import BUCKET, Bucket
from tests.faults.load import PATIENT
from tests.faults.oracles import check_view
from tests.faults.test_points import kill
from tests.faults.test_replay import Played, rows, until_kept
from tests.faults.wire import GET, PUT, Point, When, Wire, listening
from tests.integration.players import guests, play_all, seated_match
from tests.platform import ROOT, Platform, run_platform

URL = f"s3://{BUCKET}/matches"
AT_ONCE = Patience(total=0.0, answer=60.0)
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[Bucket]:
    with buckets.running(tmp_path) as running:
        yield running


async def test_matches_are_kept_in_a_bucket_that_goes_away_for_a_while(bucket: Bucket) -> None:
    keeping = {"ARGOSY_ARCHIVE_URL": URL, "ARGOSY_REPLAY_KEEP_S": "0", **bucket.variables}
    async with run_platform(replay=1, keeping=keeping) as platform:
        ann, bob = (Client.connect(platform.address, guest=name, patience=PATIENT) for name in ("Ann", "Bob"))
        async with ann, bob:
            live = dict([await played([ann, bob]) for _ in range(3)])
            await until_kept(platform, digests(live))
            bucket.kill()
            late = dict([await played([ann, bob]) for _ in range(2)])
            while "archive_waits" not in platform.logs():  # noqa: ASYNC110 - a process tells only its log
                await asyncio.sleep(0.1)
            await check_in_store(platform, late)
            await check_away(platform, next(iter(live)))
            bucket.start()
            live |= late
            await until_kept(platform, digests(live))
            for name, updates in live.items():
                for seat, client in enumerate((ann, bob)):
                    await check_view(client, name, seat, updates[seat], len(updates[0]))
                at = await ann.position(name, 3)
                assert (at.version, at.last_version) == (3, len(updates[0]))
        check_files(bucket, live)
        await check_anew(platform, bucket, len(live))


async def test_replay_is_killed_at_each_step_of_writing_to_a_bucket(bucket: Bucket) -> None:
    points = [Point(PUT, when) for when in (When.BEFORE, When.SENT, When.ANSWERED)] + [Point(GET, When.ANSWERED)]
    wire = Wire(bucket.place)
    async with listening(wire) as address, run_platform(gateways=0) as platform:
        reached = bucket.variables | {"AWS_ENDPOINT_URL": f"http://{address}"}
        platform.of_replay.update({"ARGOSY_ARCHIVE_URL": URL, "ARGOSY_REPLAY_KEEP_S": "0", **reached})
        victim = await platform.add_replay()
        await platform.add_gateway()
        async with guests(platform) as clients:
            live = dict[str, list[list[Update]]]()

            async def play_one() -> None:
                live.update([await played(clients)])

            for point in points:
                await kill(wire, point, victim, play_one())
            await until_kept(platform, digests(live))
        check_files(bucket, live)


async def played(clients: Sequence[Client]) -> tuple[str, list[list[Update]]]:
    """A match played to its end, and what its seats received."""
    name = await seated_match(clients)
    return name, await play_all(clients, name)


def digests(live: dict[str, list[list[Update]]]) -> Played:
    """The last digest of each match."""
    return {name.removeprefix("matches/"): updates[0][-1].digest for name, updates in live.items()}


async def check_in_store(platform: Platform, live: dict[str, list[list[Update]]]) -> None:
    """The histories are where they were."""
    async with open_log(RedisSettings(redis_url=platform.store.url)) as log:
        for text, digest in digests(live).items():
            head = await log.head(ids.from_text(text))
            assert head is not None
            assert head.digest == digest


async def check_away(platform: Platform, archived: str) -> None:
    """What is in the bucket alone cannot be shown, and that is said; whoever is patient gets it later."""
    async with Client.connect(platform.address, guest="Eve", patience=AT_ONCE) as eve:
        with pytest.raises(ArgosyError) as refused:
            await eve.position(archived, 1)
        assert refused.value.name == "STORAGE_UNAVAILABLE"
        assert refused.value.retry_after


def check_files(bucket: Bucket, live: dict[str, list[list[Update]]]) -> None:
    """A file for each match, in folders by its id, whole and ending as it was played."""
    assert len(list(bucket.files.rglob("*.zst"))) == len(live)
    for text, digest in digests(live).items():
        match = ids.from_text(text)
        assert decode(match, (bucket.files / "matches" / path_of(match)).read_bytes())[-1].digest == digest


async def check_anew(platform: Platform, bucket: Bucket, count: int) -> None:
    """The library made anew from the bucket is what it was; a damaged file is counted and left out."""
    anew = platform.folder / "anew"
    environ = {k: v for k, v in os.environ.items() if not k.startswith("ARGOSY_")} | bucket.variables
    environ |= {"ARGOSY_REDIS_URL": platform.store.url, "ARGOSY_ARCHIVE_URL": URL}
    words = [sys.executable, "-m", "gateway.cli", "replay", "reindex", "--data", str(anew)]

    async def counts() -> dict[str, int]:
        made = await asyncio.to_thread(
            subprocess.run, words, capture_output=True, text=True, check=True, cwd=ROOT, env=environ
        )
        return dict(json.loads(made.stdout))

    assert await counts() == {"log": 0, "archive": count, "unreadable": 0, "dropped": 0}
    assert rows(anew) == rows(platform.folder)
    half = next(bucket.files.rglob("*.zst"))
    bucket.kill()
    half.write_bytes(half.read_bytes()[:200])
    bucket.start()
    shutil.rmtree(anew)
    assert await counts() == {"log": 0, "archive": count, "unreadable": 1, "dropped": 0}
    assert len(rows(anew)["matches"]) == count - 1
