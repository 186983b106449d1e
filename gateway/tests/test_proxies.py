"""Whom a call is counted to, whatever its headers say."""

import pytest

from gateway.proxies import Proxies
from services.kit.startup import CannotStart

HEADER = "x-forwarded-for"
PROXIES = Proxies(("10.0.0.0/8", "2001:db8:ffff::/48"))
PROXY = "ipv4:10.0.0.1:5000"


@pytest.mark.parametrize(
    ("peer", "said", "address"),
    [
        (PROXY, [], "10.0.0.1"),
        (PROXY, ["192.0.2.1"], "192.0.2.1"),
        ("ipv6:%5B::ffff:10.0.0.1%5D:5000", ["192.0.2.1"], "192.0.2.1"),
        (PROXY, ["203.0.113.9, 192.0.2.1, 10.9.9.9"], "192.0.2.1"),
        (PROXY, ["203.0.113.9", "192.0.2.1"], "192.0.2.1"),
        (PROXY, ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        (PROXY, ["192.0.2.1, unknown"], "10.0.0.1"),
        (PROXY, ["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
        (PROXY, [","], "10.0.0.1"),
        (PROXY, ["[2001:db8:1:2:3::4]:443"], "2001:db8:1:2::/64"),
        (PROXY, ["::ffff:192.0.2.1"], "192.0.2.1"),
        ("ipv6:%5B2001:db8:ffff::1%5D:5000", ["192.0.2.1:80"], "192.0.2.1"),
        ("ipv4:192.0.2.77:5000", ["198.51.100.1"], "192.0.2.77"),
        ("ipv4:192.0.2.77:5000", ["10.0.0.1"], "192.0.2.77"),
        ("unix:", ["198.51.100.1"], "unix"),
    ],
)
def test_the_rightmost_hop_that_is_not_trusted(peer: str, said: list[str], address: str) -> None:
    assert PROXIES.address(peer, [(HEADER, text) for text in said]) == address


def test_a_header_of_any_length_costs_no_more_than_a_few_hops() -> None:
    assert PROXIES.address(PROXY, [(HEADER, "192.0.2.1, " + "10.0.0.2, " * 1000 + "10.0.0.3")]) == "10.0.0.2"


def test_nobody_is_trusted_unless_it_is_said() -> None:
    assert Proxies().address(PROXY, [(HEADER, "192.0.2.1")]) == "10.0.0.1"


@pytest.mark.parametrize("text", ["everybody", "10.0.0.1/8", "10.0.0.0/33"])
def test_what_is_no_network_keeps_the_gateway_from_starting(text: str) -> None:
    with pytest.raises(CannotStart, match="ARGOSY_TRUSTED_PROXIES"):
        Proxies((text,))
