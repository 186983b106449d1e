"""In aller Ruhe with every set of expansions for every number of seats; `make conform` plays them to the end."""

from services.rules.conform import Effort, conform
from tests.conformance.combinations import combinations
from tests.rules_host import run_host


async def test_the_laws_hold_for_every_combination() -> None:
    async with run_host(["ruhe"]) as host:
        report = await conform(host.address, games=["ruhe"], effort=Effort(cut=8, samples=combinations()))
    assert report.is_ok, "\n".join(report.lines())
    assert not [line for line in host.lines if "unexpected_exception" in line]
