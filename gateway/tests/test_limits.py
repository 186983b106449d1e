import pytest

from gateway.limits import Buckets, Crowd, address_of
from services.kit.errors import Refused


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _takes(buckets: Buckets, key: str, tries: int) -> int:
    taken = 0
    for _ in range(tries):
        try:
            buckets.take(key)
        except Refused:
            continue
        taken += 1
    return taken


def test_a_burst_and_then_the_rate() -> None:
    clock = Clock()
    buckets = Buckets(2.0, 10, clock)
    assert _takes(buckets, "a", 50) == 10
    assert _takes(buckets, "b", 50) == 10
    clock.now += 3.0
    assert _takes(buckets, "a", 50) == 6
    clock.now += 1000.0
    assert _takes(buckets, "a", 50) == 10


def test_a_refusal_says_when_to_come_back() -> None:
    clock = Clock()
    buckets = Buckets(2.0, 1, clock)
    buckets.take("a")
    with pytest.raises(Refused) as refused:
        buckets.take("a")
    assert refused.value.name == "RATE_LIMITED"
    clock.now += refused.value.retry_s
    buckets.take("a")


def test_buckets_stay_few() -> None:
    clock = Clock()
    buckets = Buckets(1.0, 1, clock, most=100)
    for number in range(1000):
        clock.now += 0.001
        buckets.take(f"{number}")
        assert len(buckets) <= 100
    assert _takes(buckets, "999", 1) == 0, "the newest are not forgotten"


def test_a_bucket_that_is_used_hard_is_not_forgotten() -> None:
    clock = Clock()
    buckets = Buckets(1.0, 50, clock, most=10)
    assert _takes(buckets, "busy", 50) == 50
    for number in range(100):
        clock.now += 0.1
        buckets.take(f"{number}")
    assert _takes(buckets, "busy", 50) == 10


def test_a_crowd_is_let_in_up_to_its_size() -> None:
    crowd = Crowd(1)
    with crowd:
        with pytest.raises(Refused) as refused, crowd:
            pass
        assert refused.value.name == "OVERLOADED"
    with crowd:
        assert crowd.present == 1
    assert crowd.present == 0


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:50000", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50000", "2001:db8:1:2::/64"),
        ("ipv6:[::1]:50000", "::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:50000", "fe80::/64"),
        ("ipv6:[::ffff:192.0.2.7]:1", "192.0.2.7"),
        ("unix:", "unix"),
    ],
)
def test_a_peer_has_an_address(peer: str, address: str) -> None:
    assert address_of(peer) == address
