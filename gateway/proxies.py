"""Where a call comes from when proxies stand before the gateway, so that limits by address are the client's."""

import ipaddress
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gateway.limits import address_of, network_of, parse_peer
from services.kit.startup import CannotStart

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_HEADER: Final = "x-forwarded-for"
_MOST: Final = 32  # hops that are looked at


class Proxies:
    """The proxies that are believed. What anybody else says of where a call comes from is not looked at."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        """`networks` are addresses or CIDR blocks. Raises CannotStart for what is neither."""
        self._trusted = [_network(text) for text in networks]

    def address(self, peer: str, metadata: Iterable[tuple[str, Any]] | None) -> str:
        """The client's address as limits count it, by the name of the peer and what x-forwarded-for says.

        It is the rightmost hop that is no trusted proxy: each proxy appends whom it heard, so that what stands further
        left was written by the client. A hop that is no address ends the search at the proxy that named it.
        """
        hop = parse_peer(peer) if self._trusted else None
        if hop is None or not self._is_trusted(hop):
            return address_of(peer)
        for text in _hops(metadata or ()):
            named = _parsed(text)
            if named is None:
                break
            hop = named
            if not self._is_trusted(hop):
                break
        return network_of(hop)

    def _is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise CannotStart(f"ARGOSY_TRUSTED_PROXIES: {text!r} is no address or CIDR block ({error})") from None


def _hops(metadata: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """What the header names, the rightmost first; several headers are one list."""
    texts = [value for key, value in metadata if key == _HEADER and isinstance(value, str)]
    yield from [hop.strip() for text in texts for hop in text.split(",")][: -_MOST - 1 : -1]


def _parsed(text: str) -> Address | None:
    """The address of a hop, written with or without port; None for `unknown` and the like."""
    bare = text.partition("]")[0].lstrip("[") if text.startswith("[") else text
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ipaddress.ip_address(bare)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
