"""A real cluster of Valkeys for tests: primaries without replicas, on ports of their own."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from redis import Redis

from tests import ports, servers

SLOTS = 16384


@dataclass(frozen=True, slots=True)
class Node:
    """One primary, and a plain client of it for what a test does to it."""

    port: int
    client: Redis

    def ask(self, *command: Any) -> Any:
        return self.client.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py leaves it so

    @property
    def id(self) -> str:
        return str(self.ask("CLUSTER MYID").decode())

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"


@contextlib.contextmanager
def running(count: int) -> Iterator[list[Node]]:
    """A cluster of primaries, each with an equal range of slots."""
    with contextlib.ExitStack() as stack:
        nodes = [_start(stack) for _ in range(count)]
        for number, node in enumerate(nodes):
            first, last = SLOTS * number // count, SLOTS * (number + 1) // count - 1
            node.ask("CLUSTER ADDSLOTSRANGE", first, last)
            nodes[0].ask("CLUSTER MEET", "127.0.0.1", node.port, node.port + 1)
        while not all(_is_whole(node, count) for node in nodes):
            time.sleep(0.05)
        yield nodes


def move_slot(slot: int, source: Node, target: Node) -> None:
    """Moves a slot with all its keys from one node to another."""
    target.ask("CLUSTER SETSLOT", slot, "IMPORTING", source.id)
    source.ask("CLUSTER SETSLOT", slot, "MIGRATING", target.id)
    while keys := source.ask("CLUSTER GETKEYSINSLOT", slot, 100):
        source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
    for node in (target, source):
        node.ask("CLUSTER SETSLOT", slot, "NODE", target.id)


def _start(stack: contextlib.ExitStack) -> Node:
    port = ports.free_port()
    arguments = ("--port", str(port), "--cluster-enabled", "yes", "--cluster-port", str(port + 1))
    stack.enter_context(servers.running(arguments=arguments))
    return Node(port, stack.enter_context(Redis(port=port)))


def _is_whole(node: Node, count: int) -> bool:
    info = node.ask("CLUSTER INFO")
    known = node.ask("CLUSTER NODES")
    return "ok" in str(info.get("cluster_state")) and len(known) == count
