"""Every game of the repository, over the wire against a rules host of its own; `make conform` plays to the end."""

import pytest

from services.rules.conform import Effort, conform
from services.rules.loading import list_games
from tests.rules_host import run_host

CUT = 24  # entries of a match: every law is tried by then, most of them several times


@pytest.mark.parametrize("game", list_games())
async def test_the_laws_hold(game: str) -> None:
    async with run_host([game]) as host:
        report = await conform(host.address, games=[game], effort=Effort(cut=CUT))
    assert report.is_ok, "\n".join(report.lines())
    assert not [line for line in host.lines if "unexpected_exception" in line]
