"""The gateway as a process: it starts, serves and ends, or says in one line why not."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from argosy.v1 import session_service_pb2 as pb
from argosy.v1 import session_service_pb2_grpc as session_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gateway.tests.edge_server import bearer
from tests.servers import Store

ROOT = Path(__file__).parents[2]


def _environ(data: Path, store: Store, **changes: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("ARGOSY_", "GRPC_"))}
    settings = {"ARGOSY_DATA": str(data), "ARGOSY_REDIS_URL": store.url, "ARGOSY_LISTEN": "127.0.0.1:0"}
    return own | {"PYTHONPATH": f"{ROOT}:{ROOT}/protos/python"} | settings | changes


async def _start(environ: dict[str, str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway"), stderr=asyncio.subprocess.PIPE, env=environ, cwd=ROOT
    )


@asynccontextmanager
async def _gateway(environ: dict[str, str]) -> AsyncIterator[tuple[asyncio.subprocess.Process, grpc.aio.Channel]]:
    process = await _start(environ)
    try:
        assert process.stderr is not None
        async with asyncio.timeout(60):
            while '"serving"' not in (line := (await process.stderr.readline()).decode()):
                assert line, "it ended"
        async with grpc.aio.insecure_channel(f"127.0.0.1:{json.loads(line)['port']}") as channel:
            yield process, channel
    finally:
        if process.returncode is None:
            process.terminate()
            await asyncio.wait_for(process.wait(), 120)


async def test_accounts_and_keys_outlive_the_process(tmp_path: Path, store: Store) -> None:
    environ = _environ(tmp_path, store)
    async with _gateway(environ) as (process, channel):
        health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=60)
        assert health.status == health_pb2.HealthCheckResponse.SERVING
        request = pb.CreateGuestRequest(display_name="Ada", request_id="a" * 16)
        guest = await session_grpc.SessionServiceStub(channel).CreateGuest(request, timeout=60)
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 120) == 0
    async with _gateway(environ) as (_, channel):
        me = await session_grpc.SessionServiceStub(channel).GetPlayer(
            pb.GetPlayerRequest(name="players/me"), metadata=bearer(guest.token.token), timeout=60
        )
        assert me.player == guest.player


async def _failure(data: Path, store: Store, changes: dict[str, str]) -> tuple[int | None, str]:
    """The exit code, and what is on stderr beside the log."""
    process = await _start(_environ(data, store, **changes))
    _, stderr = await asyncio.wait_for(process.communicate(), 90)
    return process.returncode, "\n".join(line for line in stderr.decode().splitlines() if not line.startswith("{"))


@pytest.mark.timeout(300)  # nine processes, each of which loads everything first
async def test_what_keeps_it_from_starting_is_one_line(tmp_path: Path, store: Store) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = f"127.0.0.1:{taken.getsockname()[1]}"
        cases = {
            "no store answers": {"ARGOSY_REDIS_URL": "redis://127.0.0.1:1"},
            f"cannot listen on {busy}: Address already in use": {"ARGOSY_LISTEN": busy},
            "cannot listen on 'nonsense': it is no HOST:PORT": {"ARGOSY_LISTEN": "nonsense"},
            "there is no key file": {"ARGOSY_KEYS_FILE": str(tmp_path / "missing.json")},
            "Connection refused": {"ARGOSY_ACCOUNTS_URL": "postgresql://argosy:hidden@127.0.0.1:1/argosy"},
            "unable to open database file": {"ARGOSY_ACCOUNTS_URL": "sqlite:////nowhere/at/all.db"},
            "cannot make the data directory": {"ARGOSY_DATA": "/proc/nowhere"},
            "ARGOSY_REPLAY must be HOST:PORT": {"ARGOSY_REPLAY": "nonsense"},
            "did you mean ARGOSY_LISTEN?": {"ARGOSY_LISTENING": "x"},
        }
        slots = asyncio.Semaphore(4)

        async def fail(changes: dict[str, str]) -> tuple[int | None, str]:
            async with slots:
                return await _failure(tmp_path, store, changes)

        found = await asyncio.gather(*(fail(changes) for changes in cases.values()))
    for told, (code, text) in zip(cases, found, strict=True):
        assert code == 2, f"{told}: {text}"
        assert told in text
        assert "\n" not in text
        assert "hidden" not in text
