"""How much one player or address may ask, and how much all may ask at once.

Memory is bounded: a bucket is one number, and full ones are forgotten.
"""

import ipaddress
import time
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from services.kit.errors import Reason, Refused

_BUCKETS: Final = 100_000


class Buckets:
    """A token bucket for each key: `burst` at once, then `rate` a second.

    Kept is, for each key, only the time at which its bucket is full again.
    """

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic, most: int = _BUCKETS
    ) -> None:
        self._step, self._depth = 1 / rate, burst / rate
        self._clock, self._most = clock, most
        self._full_at: dict[Hashable, float] = {}

    def take(self, key: Hashable) -> None:
        """Takes one. Refuses RATE_LIMITED, saying when there is one again."""
        now = self._clock()
        full_at = max(self._full_at.get(key, now), now) + self._step
        wait_s = full_at - now - self._depth
        if wait_s > 1e-9:
            raise Refused(Reason.ERROR_REASON_RATE_LIMITED, "too many requests", retry_s=wait_s)
        if len(self._full_at) >= self._most and key not in self._full_at:
            self._forget(now)
        self._full_at[key] = full_at

    def give_back(self, key: Hashable) -> None:
        """Puts one back that was taken in case it would be needed."""
        if key in self._full_at:
            self._full_at[key] -= self._step

    def __len__(self) -> int:
        return len(self._full_at)

    def _forget(self, now: float) -> None:
        """Forgets full buckets; where that is not enough, the tenth that will be full first."""
        self._full_at = {key: at for key, at in self._full_at.items() if at > now}
        surplus = len(self._full_at) - self._most * 9 // 10
        if surplus > 0:
            for key in sorted(self._full_at, key=self._full_at.__getitem__)[:surplus]:
                del self._full_at[key]


class Crowd:
    """Counts what goes on at once: the blocks entered with it. Refuses OVERLOADED when there are too many."""

    def __init__(self, most: int) -> None:
        self._most, self.present = most, 0

    def __enter__(self) -> None:
        if self.present >= self._most:
            raise Refused(Reason.ERROR_REASON_OVERLOADED, "the server has more to do than it can", retry_s=1.0)
        self.present += 1

    def __exit__(self, *_: object) -> None:
        self.present -= 1


@lru_cache(maxsize=8192)  # a connection's peer name is the same for all its calls
def address_of(peer: str) -> str:
    """The address in a gRPC peer name, without its port, as `network_of` gives it; the kind for a socket of another."""
    address = parse_peer(peer)
    return unquote(peer).partition(":")[0] if address is None else network_of(address)


@lru_cache(maxsize=8192)
def parse_peer(peer: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in a gRPC peer name; None where the peer has none."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return None
    found = ipaddress.ip_address(rest.rpartition(":")[0].strip("[]").partition("%")[0])
    return getattr(found, "ipv4_mapped", None) or found


def network_of(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """The address; of IPv6 the network, since one client has 2^64 addresses."""
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
