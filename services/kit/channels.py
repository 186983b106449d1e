"""Channels from one process of the platform to another."""

from collections.abc import Sequence
from typing import Any, Final

import grpc

OPTIONS: Final[Sequence[tuple[str, Any]]] = (
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.max_send_message_length", 64 * 1024 * 1024),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)


def open_channel(address: str) -> grpc.aio.Channel:
    """A channel to every server behind the address in turn. It connects when used, and again within seconds."""
    return grpc.aio.insecure_channel(address, options=OPTIONS)
