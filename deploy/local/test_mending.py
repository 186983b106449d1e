"""A store's file that is torn: mended after a kill, left alone otherwise."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from redis.asyncio import Redis

from deploy.local import processes, valkey
from deploy.local.children import Child
from services.kit.startup import CannotStart


async def serve_once(folder: Path, said: list[str], *, kills: bool) -> bytes | None:
    """Starts the store, reads what it has, writes, and ends it; what it had."""
    launch = valkey.prepare(folder, maxmemory=2**28)
    child = Child(processes.store_process(launch), folder, said.append)
    try:
        await child.start()
        async with Redis.from_url(launch.url) as client:
            found = cast("bytes | None", await client.get("kept"))
            await client.set("kept", "yes")
            await client.set("also", "later")
        if kills:
            child.kill()
        await child.stop()
    finally:
        launch.release()
    return found


def tear(folder: Path, change: Callable[[bytes], bytes]) -> None:
    (newest,) = (folder / "appendonlydir").glob("*.incr.aof")
    newest.write_bytes(change(newest.read_bytes()))


async def test_a_torn_end_after_a_kill_is_cut_and_told(tmp_path: Path) -> None:
    said: list[str] = []
    await serve_once(tmp_path, said, kills=True)
    tear(tmp_path, lambda content: content[:-5])
    assert await serve_once(tmp_path, said, kills=False) == b"yes"
    assert len(said) == 1
    assert "bytes that nobody was told of are cut" in said[0]
    assert len(list((tmp_path / "appendonlydir").glob("*.torn-*"))) == 1


async def test_a_cut_in_a_file_that_was_closed_in_order_is_damage(tmp_path: Path) -> None:
    await serve_once(tmp_path, [], kills=False)
    tear(tmp_path, lambda content: content[:-5])
    for _ in range(2):
        with pytest.raises(CannotStart, match="Unexpected end of file"):
            await serve_once(tmp_path, [], kills=False)


@pytest.mark.parametrize("change", [lambda content: content + bytes(100), lambda content: b"x" + content[1:]])
async def test_other_damage_is_left_to_a_person(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    await serve_once(tmp_path, [], kills=True)
    tear(tmp_path, change)
    with pytest.raises(CannotStart, match="Bad file format"):
        await serve_once(tmp_path, [], kills=False)
