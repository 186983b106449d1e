"""Gateways whose clocks are wrong: times of entries are the store's, in order, and nothing is refused for it.

The clock is moved within the gateway's own process, when it starts: far ahead, but only little behind, since gRPC's
deadlines are made with this clock and kept by another. The store takes 2 s for right.
"""

import asyncio
from pathlib import Path

import pytest
from argosy.client import Client

from services.kit import parts
from tests.faults.load import PATIENT
from tests.faults.oracles import audited, check_view
from tests.integration.players import play, seated_match
from tests.platform import run_platform

WRONG_CLOCK = """
import os, time
_offset, _time, _time_ns = float(os.environ.get("CLOCK_OFFSET_S", "0")), time.time, time.time_ns
if _offset:
    time.time = lambda: _time() + _offset
    time.time_ns = lambda: _time_ns() + int(_offset * 1e9)
"""
pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("offset", [-4, 45])
async def test_a_gateway_whose_clock_is_wrong(offset: int, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WRONG_CLOCK)
    async with run_platform(path=[tmp_path]) as platform:
        platform.of_gateways["CLOCK_OFFSET_S"] = str(offset)
        wrong = await platform.add_gateway()
        ann = Client.connect(platform.address, guest="Ann", patience=PATIENT)
        bob = Client.connect(wrong.address, guest="Bob", patience=PATIENT)
        async with ann, bob:
            match = await seated_match([ann, bob])
            live = await asyncio.gather(play(ann, match, 0), play(bob, match, 1))
            entries = (await audited(platform, "sirenen", [match]))[match]
            for seat, client in enumerate((ann, bob)):
                await check_view(client, match, seat, live[seat], len(entries))
    opened = [parts.server_part(parts.opened(e.version, e.digest, e.body)) for e in entries]
    times = [part.record_time_ms for part in opened]
    assert times == sorted(times)
    assert times[-1] - times[0] < 40_000, "a time was taken from the wrong clock"
    skewed = [part for part in opened if abs(part.receive_time_ms - part.record_time_ms) > 3_000]
    assert skewed, "the clock was not wrong at all"
