"""Connections: each carries at most fifty followed matches and tickets; more take others."""

from collections.abc import Iterable
from dataclasses import dataclass

import grpc

WATCHES_PER_LINK = 50
OPTIONS = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.enable_retries", 0),  # a policy from a service config would run a handler several times
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.use_local_subchannel_pool", 1),  # else channels to one address share a connection
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)


@dataclass(slots=True, eq=False)
class Link:
    """One connection with the number of matches and tickets followed on it."""

    channel: grpc.aio.Channel
    watches: int = 0
    is_crowded: bool = False  # the server has said so

    @property
    def has_room(self) -> bool:
        """Whether one more match or ticket may be followed on it."""
        return self.watches < WATCHES_PER_LINK and not self.is_crowded


class Links:
    """The connections to one server, shared by every client made from the first one."""

    def __init__(self, address: str, root_certificates: bytes | None = None, *, tls: bool = False) -> None:
        self.address, self._certificates = address, root_certificates
        self._is_tls = tls or root_certificates is not None or address.startswith("https://")
        self._links = [self._open()]

    @property
    def first(self) -> grpc.aio.Channel:
        """The one that calls outside streams take."""
        return self._links[0].channel

    def lease(self, preferred: Iterable[Link] = ()) -> Link:
        """A connection with room for one more match, which is counted; one of `preferred` if possible."""
        link = next((k for k in (*preferred, *self._links) if k.has_room), None)
        if link is None:
            link = self._open()
            self._links.append(link)
        link.watches += 1
        return link

    def move(self, link: Link) -> Link:
        """Another connection for one match, after the server has found this one crowded (by others behind a proxy)."""
        link.watches -= 1
        link.is_crowded = True
        return self.lease()

    async def close(self) -> None:
        """Closes all connections."""
        for link in self._links:
            await link.channel.close()

    def _open(self) -> Link:
        """A connection is made at its first use. `https://` asks for TLS, as do certificates."""
        rest = self.address.rpartition("://")[2]
        if self._is_tls:
            credentials = grpc.ssl_channel_credentials(self._certificates)
            return Link(grpc.aio.secure_channel(rest, credentials, options=OPTIONS))
        return Link(grpc.aio.insecure_channel(rest, options=OPTIONS))
