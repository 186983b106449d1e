"""Every game of the repository, over the wire against a rules host of its own."""

import pytest

from services.rules.conform import conform
from services.rules.loading import list_games
from tests.rules_host import run_host


@pytest.mark.parametrize("game", list_games())
async def test_the_laws_hold(game: str) -> None:
    async with run_host([game]) as host:
        report = await conform(host.address, games=[game])
    assert report.is_ok, "\n".join(report.lines())
    assert not [line for line in host.lines if "unexpected_exception" in line]
