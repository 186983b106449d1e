"""A platform whose public address speaks TLS; its own processes go on as before."""

import asyncio
from pathlib import Path

import pytest
from argosy.client import Client, Patience
from argosy.client.errors import ArgosyError
from argosy.v1.match_service_pb2 import SeatRequest

from deploy.local.processes import Platform
from deploy.local.supervisor import running
from tests.certificates import make_certificate
from tests.commands import argosy

SOON = Patience(total=1.0)


async def test_tls_at_the_public_address(tmp_path: Path) -> None:
    made = make_certificate(tmp_path)
    environ = {**made.variables, "ARGOSY_LOG_FORM": "json"}
    platform = Platform(tmp_path / "data", "127.0.0.1:0", games=("sirenen",), maxmemory=2**28, environ=environ)
    async with running(platform, say=print) as addresses, asyncio.timeout(100):
        assert addresses
        assert addresses.gateway.startswith("https://127.0.0.1:")
        plain = addresses.gateway.removeprefix("https://")
        async with Client.connect(plain, guest="Ann", tls=True, ca=made.cert) as client:
            assert (await client.me()).display_name == "Ann"
            seats = [SeatRequest(seat=seat, bot_policy="random") for seat in (0, 1)]
            match = await client.create("sirenen", seats=seats)
            async with client.follow(match.name) as table:  # hosted bots do not speak TLS, and play
                async for update in table:
                    if update.version > 8:
                        break
        with pytest.raises(ArgosyError, match="certificate is not trusted here: name who signed it"):
            async with Client.connect(addresses.gateway, key="k", patience=SOON) as client:
                await client.platform()
        with pytest.raises(ArgosyError, match="if it speaks TLS, write https://"):
            async with Client.connect(plain, key="k", patience=SOON) as client:
                await client.platform()
        home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        ended = await argosy("matches", "--ca", str(made.cert), ARGOSY_SERVER=addresses.gateway, **home)
        assert ended.code == 0, ended.err
        ended = await argosy("matches", "--server", addresses.gateway, **home)
        assert (ended.code, "is not trusted here" in ended.err) == (2, True), ended.err
