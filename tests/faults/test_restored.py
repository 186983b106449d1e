"""An older copy put back while everything is stopped, as an operator would: nobody is shown it as a continuation."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from argosy.client import Client
from argosy.client.errors import HistoryDiverged, NotFound
from argosy.v1 import match_service_pb2 as pb
from redis.asyncio import Redis

from services.kit.log.partitions import STORE_KEY
from tests.faults.load import PATIENT
from tests.faults.oracles import audited
from tests.integration.players import play_all, seated_match
from tests.platform import Platform, run_platform

pytestmark = pytest.mark.timeout(240)


async def stop(platform: Platform) -> None:
    for process in (*platform.gateways, *platform.replay):
        await process.end()
    await asyncio.to_thread(platform.store.stop)


async def start(platform: Platform) -> None:
    await asyncio.to_thread(platform.store.start)
    for process in (*platform.replay, *platform.gateways):
        await process.start()


async def copied(platform: Platform, to: Path, *, whole: bool) -> None:
    """Stops everything, copies the store (and the data directory), and starts it again."""
    await stop(platform)
    await asyncio.to_thread(shutil.copytree, platform.store.folder, to / "store", ignore=_sockets)
    if whole:
        await asyncio.to_thread(shutil.copytree, platform.folder, to / "data")
    await start(platform)


async def put_back(platform: Platform, copy: Path, *, whole: bool) -> None:
    """Stops everything, puts the copy in the place of what is there, and starts it again."""
    await stop(platform)
    for name, folder in (("store", platform.store.folder), ("data", platform.folder))[: 1 + whole]:
        await asyncio.to_thread(shutil.rmtree, folder)
        await asyncio.to_thread(shutil.copytree, copy / name, folder)
    await start(platform)


@asynccontextmanager
async def two(platform: Platform) -> AsyncIterator[tuple[Client, Client]]:
    async with (
        Client.connect(platform.address, guest="Ann", patience=PATIENT) as ann,
        Client.connect(platform.address, guest="Ben", patience=PATIENT) as ben,
    ):
        yield ann, ben


def _sockets(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".sock")]


async def moves(clients: Sequence[Client], match: str, count: int, nth: int) -> pb.Head:
    """Plays some actions, the nth of those that are open; the head then."""
    for _ in range(count):
        shown = await clients[0].get(match)
        seat = shown.status.turn[0]
        actions = await clients[seat].list_actions(match, seat)
        await clients[seat].play(match, actions[nth % len(actions)].action, seat=seat, at=shown.head)
    return (await clients[0].get(match)).head


async def test_a_whole_older_directory(tmp_path: Path) -> None:
    async with run_platform(replay=1) as platform:
        async with two(platform) as (ann, ben):
            match = await seated_match([ann, ben])
            kept = await moves([ann, ben], match, 3, 0)
            await copied(platform, tmp_path, whole=True)
            seen = await moves([ann, ben], match, 4, 0)
            young = await seated_match([ann, ben])
            await put_back(platform, tmp_path, whole=True)

            with pytest.raises(HistoryDiverged):
                await resume(ann, match, 0, seen)
            with pytest.raises(HistoryDiverged) as refused:
                await act([ann, ben], match, seen)
            assert refused.value.metadata["version"] == str(kept.version)
            with pytest.raises(NotFound):
                await ann.get(young)
            assert (await ann.get(match)).head == kept

            other = await moves([ann, ben], match, 4, 1)
            assert (other.version, other.digest != seen.digest) == (seen.version, True)
            with pytest.raises(HistoryDiverged):  # as long, and another
                await resume(ben, match, 1, seen)
            await play_all([ann, ben], match)
        await audited(platform, "sirenen", [match])


async def resume(client: Client, match: str, seat: int, head: pb.Head) -> None:
    """Follows the match after this head; what comes is shown as its continuation."""
    async for update in client.follow(match, seat=seat, after=head):
        pytest.fail(f"version {update.version} was shown as a continuation")


async def act(clients: Sequence[Client], match: str, head: pb.Head) -> None:
    """An action of whose turn it is, decided on this head."""
    seat = (await clients[0].get(match)).status.turn[0]
    actions = await clients[seat].list_actions(match, seat)
    await clients[seat].play(match, actions[0].action, seat=seat, at=head)


async def test_an_older_store_beside_a_newer_library_and_archive(tmp_path: Path) -> None:
    async with run_platform(replay=1, keeping={"ARGOSY_REPLAY_KEEP_S": "0"}) as platform:
        async with two(platform) as (ann, ben):
            finished, going_on = await seated_match([ann, ben]), await seated_match([ann, ben])
            for match in (finished, going_on):
                kept = await moves([ann, ben], match, 3, 0)
            await copied(platform, tmp_path, whole=False)
            (_, last), seen = await play_all([ann, ben], finished), await moves([ann, ben], going_on, 4, 0)
            young = await seated_match([ann, ben])
            await until_listed(ann, finished, pb.Match.STATE_ENDED, archived=True)
            await put_back(platform, tmp_path, whole=False)

            await until_told(platform, "log_is_older_than_library")
            shown = await ann.get(finished)  # put back from the archive
            assert (shown.head.version, shown.head.digest) == (last[-1].version, last[-1].digest)
            assert shown.state == pb.Match.STATE_ENDED
            assert [entry.version async for entry in ann.replay(finished)] == list(range(1, shown.head.version + 1))
            with pytest.raises(HistoryDiverged):
                await resume(ann, going_on, 0, seen)
            listed = {found.name: found.head.version async for found in ann.matches(player="players/me")}
            assert listed == {finished: shown.head.version, going_on: kept.version}
            with pytest.raises(NotFound):
                await ann.get(young)
            await play_all([ann, ben], going_on)
            await until_listed(ann, going_on, pb.Match.STATE_ENDED, archived=True)
        assert "match_quarantined" not in platform.logs()
        async with Redis.from_url(platform.store.url) as store:
            assert int(await store.hget(STORE_KEY, "generation") or 0) > 1


async def test_an_older_store_under_a_running_platform(tmp_path: Path) -> None:
    async with run_platform(replay=1) as platform:
        async with two(platform) as (ann, ben):
            match = await seated_match([ann, ben])
            kept = await moves([ann, ben], match, 3, 0)
            await copied(platform, tmp_path, whole=False)
            seen = await moves([ann, ben], match, 4, 0)
            await asyncio.to_thread(platform.store.stop)
            await asyncio.to_thread(shutil.rmtree, platform.store.folder)
            await asyncio.to_thread(shutil.copytree, tmp_path / "store", platform.store.folder)
            await asyncio.to_thread(platform.store.start)
            (gateway,) = platform.gateways
            async with asyncio.timeout(60):
                while gateway.is_running:  # noqa: ASYNC110 - replay finds it, and the gateway hears of it
                    await asyncio.sleep(0.1)
            assert "store_was_put_back" in platform.logs()
            await gateway.start()
            with pytest.raises(HistoryDiverged):
                await resume(ann, match, 0, seen)
            assert (await ann.get(match)).head == kept
            await play_all([ann, ben], match)
        await audited(platform, "sirenen", [match])


async def until_told(platform: Platform, event: str) -> None:
    async with asyncio.timeout(60):
        while event not in platform.logs():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.1)


async def until_listed(client: Client, match: str, state: pb.Match.State.ValueType, *, archived: bool) -> None:
    async with asyncio.timeout(60):
        while True:
            found = [m async for m in client.replays() if m.name == match]
            if found and (found[0].state, found[0].archived) == (state, archived):
                return
            await asyncio.sleep(0.1)
