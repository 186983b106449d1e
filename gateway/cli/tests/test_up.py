"""`argosy up` as a user runs it: started, interrupted, started again on the same data."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from argosy.client import Account, Client, Transcript

ARGOSY = (sys.executable, "-m", "gateway.cli")


@contextmanager
def up(data: Path) -> Iterator[str]:
    """A platform on this data; its address. Ends as by Ctrl-C."""
    running = subprocess.Popen(
        [*ARGOSY, "up", "--data", str(data), "--listen", "127.0.0.1:0", "--games", "sirenen", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    told = running.stdout.readline()
    try:
        assert told, running.stderr and running.stderr.read()
        yield json.loads(told)["gateway"]
    finally:
        running.send_signal(signal.SIGINT)
        _, complaints = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "Traceback" not in complaints


async def act(client: Client, match: str, seat: int) -> None:
    """Plays the seat's first legal action, if it owes a decision."""
    async with client.follow(match, seat=seat, actions=True, from_start=False) as table:
        stands = await anext(table)
        if stands.status and seat in stands.status.turn and stands.actions:
            await table.play(stands.actions[0].action, at=stands)


async def heard(client: Client, match: str, last: int) -> str:
    """The digest of the entries up to this one."""
    transcript = Transcript()
    async with client.follow(match, seat=0) as table:
        async for update in table:
            assert update.entry is not None
            transcript.add(update.entry)
            if update.version == last:
                break
    return transcript.digest


async def test_a_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "me.json"
    with up(data) as address:
        async with (
            Client.connect(address, guest="Ann", credentials=file) as ann,
            Client.connect(address, guest="Bob") as bob,
        ):
            match = (await ann.create("sirenen")).name
            await ann.join(match, 0)
            await bob.join(match, 1)
            for _ in range(3):
                await act(ann, match, 0)
                await act(bob, match, 1)
            before = await ann.get(match)
            digest = await heard(ann, match, before.head.version)
            account = bob.credentials
            assert isinstance(account, Account)
    with up(data) as address:
        file.write_text(json.dumps({address: next(iter(json.loads(file.read_text()).values()))}))
        async with Client.connect(address, credentials=file) as ann, ann.as_player(account) as bob:
            after = await ann.get(match)
            assert after.head == before.head
            assert await heard(ann, match, before.head.version) == digest
            for _ in range(3):
                await act(ann, match, 0)
                await act(bob, match, 1)
            assert (await ann.get(match)).head.version > before.head.version


@pytest.mark.parametrize("taken", ["data", "port"])
def test_what_is_taken_already_is_one_line_and_exit_code_2(tmp_path: Path, taken: str) -> None:
    with up(tmp_path / "data") as address:
        words = ["--data", str(tmp_path / ("data" if taken == "data" else "other"))]
        words += ["--listen", address if taken == "port" else "127.0.0.1:0"]
        failed = subprocess.run([*ARGOSY, "up", *words], capture_output=True, text=True, check=False, timeout=60)
    assert failed.returncode == 2
    assert len(failed.stderr.strip().splitlines()) == 1
    assert "taken" in failed.stderr or "in use" in failed.stderr
