"""The embedded store: what is on disk, who may have the directory, and what happens to it with its parent."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from redis.asyncio import Redis

from deploy.local import valkey
from services.kit.startup import CannotStart
from tests.servers import Store

ROOT = Path(__file__).parents[2]


async def test_it_is_configured_to_lose_nothing(store: Store) -> None:
    wanted = {
        "appendonly": "yes",
        "appendfsync": "always",
        "aof-load-truncated": "no",
        "maxmemory-policy": "noeviction",
        "stream-node-max-bytes": "1024",
        "save": "",
        "port": "0",
    }
    async with Redis.from_url(store.url) as client:
        found = await client.config_get("*")
    assert {name: found[name] for name in wanted} == wanted
    assert "normal 8388608 2097152 5" in str(found["client-output-buffer-limit"])


def test_only_its_owner_may_use_the_socket(store: Store) -> None:
    launch_socket = store.folder / "valkey.sock"
    assert launch_socket.stat().st_mode & 0o777 == 0o700


def test_a_directory_in_use_is_refused_in_one_line(own_store: Store) -> None:
    with pytest.raises(CannotStart, match="is in use by another process") as told:
        valkey.prepare(own_store.folder)
    assert "\n" not in str(told.value)


async def test_what_was_written_is_there_after_a_kill(own_store: Store) -> None:
    async with Redis.from_url(own_store.url) as client:
        await client.set("kept", "yes")
    own_store.kill()
    own_store.start()
    async with Redis.from_url(own_store.url) as client:
        assert await client.get("kept") == b"yes"


def test_a_long_path_gets_its_socket_elsewhere(tmp_path: Path) -> None:
    launch = valkey.prepare(tmp_path / ("long" * 30))
    assert len(os.fsencode(launch.socket)) < 100
    assert launch.socket.parent.stat().st_mode & 0o777 == 0o700
    launch.release()
    assert not launch.socket.parent.exists()


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    parent = textwrap.dedent("""
        import subprocess, sys, time
        from pathlib import Path
        from deploy.local import valkey
        launch = valkey.prepare(Path(sys.argv[1]))
        child = subprocess.Popen(valkey.tethered(*launch.program), stdout=subprocess.DEVNULL, pass_fds=(launch.lock,))
        print(child.pid, flush=True)
        time.sleep(60)
    """)
    command = [sys.executable, "-c", parent, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        while not (tmp_path / "valkey.sock").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    while _is_alive(child):
        time.sleep(0.02)
    launch = valkey.prepare(tmp_path)  # the lock is free again
    launch.release()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
