"""Figures as Prometheus reads them."""

import socket
import urllib.request

import pytest

from services.kit import metrics
from services.kit.startup import CannotStart
from tests import ports


def test_counts_and_gauges_are_served_as_they_are_now() -> None:
    port, counts = ports.free_port(), {("appends", "Appended"): 1}
    with metrics.serving(f"127.0.0.1:{port}", lambda: counts, lambda: {"tables": 7}):
        counts["appends", "Appended"] = 41
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            text = answer.read().decode()
    assert 'argosy_appends_total{kind="Appended"} 41.0' in text
    assert "argosy_tables 7.0" in text
    assert "process_cpu_seconds_total" in text


@pytest.mark.parametrize("address", ["7601", "127.0.0.1:port"])
def test_an_address_that_is_none_keeps_the_process_from_starting(address: str) -> None:
    with pytest.raises(CannotStart, match="ARGOSY_METRICS"), metrics.serving(address, dict, dict):
        pass


def test_a_port_that_is_taken_keeps_the_process_from_starting() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(CannotStart, match="cannot serve metrics"), metrics.serving(address, dict, dict):
            pass
